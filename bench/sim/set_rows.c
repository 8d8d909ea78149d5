/* What the rows of a picture of the Mandelbrot set cost. */
#include "bench/sim/set_rows.h"

#define DEPTH 1000 /* steps until a point counts as one of the set; the paper states none */

static unsigned steps(double x, double y)
{
    double re = 0, im = 0;
    unsigned step = 0;

    while (step < DEPTH && re * re + im * im <= 4) {
        double next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
        step++;
    }
    return step;
}

static double row_steps(unsigned size, unsigned row)
{
    double y = 1.2 - 2.4 * (row + 0.5) / size, sum = 0;

    for (unsigned column = 0; column < size; column++) {
        sum += steps(-1.8 + 2.3 * (column + 0.5) / size, y);
    }
    return sum;
}

void set_rows(unsigned size, double total, double *cost)
{
    double sum = 0;

    for (unsigned row = 0; row < size; row++) {
        cost[row] = row_steps(size, row);
        sum += cost[row];
    }
    for (unsigned row = 0; row < size; row++) {
        cost[row] *= total / sum;
    }
}
