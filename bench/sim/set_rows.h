/* What the rows of a picture of the Mandelbrot set cost: the tasks of PAPERS.md K8. */
#ifndef BENCH_SIM_SET_ROWS_H
#define BENCH_SIM_SET_ROWS_H

#include <stdbool.h>

#define SET_DEPTH 1000 /* steps until a point counts as one of the set; the paper states none */

/* In the large cardioid or the disc left of it, where most points of the set are. */
static inline bool is_in_set(double x, double y)
{
    double q = (x - 0.25) * (x - 0.25) + y * y;

    return q * (q + x - 0.25) <= y * y / 4 || (x + 1) * (x + 1) + y * y <= 1.0 / 16;
}

static inline unsigned point_steps(double x, double y)
{
    double re = 0, im = 0;
    unsigned step = is_in_set(x, y) ? SET_DEPTH : 0;

    while (step < SET_DEPTH && re * re + im * im <= 4) {
        double next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
        step++;
    }
    return step;
}

static inline double row_steps(unsigned size, unsigned row)
{
    double y = 1.2 - 2.4 * (row + 0.5) / size, sum = 0;

    for (unsigned column = 0; column < size; column++) {
        sum += point_steps(-1.8 + 2.3 * (column + 0.5) / size, y);
    }
    return sum;
}

/* Writes the cost of each row of a picture of size * size points; all together cost `total`. The
 * window [0.5, -1.8] to [1.2, -1.2] is read as the intervals of the real and of the imaginary part,
 * which hold the set; as two corners it would hold none of it. */
static inline void set_rows(unsigned size, double total, double *cost)
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

#endif
