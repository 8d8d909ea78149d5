/* The loop that bench/demo schedules, as people write it: without a schedule clause. With one, it
 * is what libgomp's schedules are measured by. */
#include "bench/mandelbrot/mandelbrot.h"

#include <omp.h>

#ifndef MANDELBROT_SCHEDULE
#define MANDELBROT_SCHEDULE
#endif

static uint16_t steps_to_escape(double real, double imaginary)
{
    double x = 0, y = 0;
    int steps = 0;

    while (steps < MANDELBROT_LIMIT && x * x + y * y < 4) {
        double next = x * x - y * y + real;
        y = 2 * x * y + imaginary;
        x = next;
        steps++;
    }
    return (uint16_t)steps;
}

static void draw_row(const struct mandelbrot *picture, int row)
{
    double real = 0.5 - row * (2.3 / picture->size);

    for (int column = 0; column < picture->size; column++) {
        double imaginary = 1.2 - column * (2.4 / picture->size);
        picture->steps[row * picture->size + column] = steps_to_escape(real, imaginary);
    }
}

void mandelbrot_draw(struct mandelbrot *picture)
{
#pragma omp parallel for MANDELBROT_SCHEDULE
    for (int row = 0; row < picture->size; row++) {
        double start_s = omp_get_wtime();
        draw_row(picture, row);
        picture->owner[row] = (uint16_t)omp_get_thread_num();
        picture->thread[omp_get_thread_num()].busy_s += omp_get_wtime() - start_s;
    }
}
