/* The loop that bench/demo schedules, as usual programs have it: without a schedule clause. With
 * one, it measures libgomp's schedules. */
#include "bench/demo_dir/mandelbrot.h"

#include <omp.h>

#ifndef MANDELBROT_SCHEDULE
#define MANDELBROT_SCHEDULE
#endif

static void draw_row(const struct mandelbrot *picture, int row)
{
    double real = 0.5 - row * (2.3 / picture->size);

    for (int column = 0; column < picture->size; column++) {
        double imaginary = 1.2 - column * (2.4 / picture->size);
        picture->steps[row * picture->size + column] =
            (uint16_t)mandelbrot_steps(real, imaginary, MANDELBROT_LIMIT);
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
