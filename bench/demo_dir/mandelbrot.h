/* The Mandelbrot set of bench/demo: the picture that the experiment of PAPERS.md, K8, balances.
 *
 * K8 prints the window as "[0.5, -1.8] to [1.2, -1.2]". Read as corners that is an area without any
 * part of the set; read as one interval per axis, 0.5 down to -1.8 and 1.2 down to -1.2, it is the
 * whole set, which is drawn here. Rows run along the first interval, the real axis. Along the
 * imaginary one the picture's two halves would mirror each other, and any equal split in two would
 * be even. */
#ifndef BENCH_DEMO_DIR_MANDELBROT_H
#define BENCH_DEMO_DIR_MANDELBROT_H

#include <stdbool.h>
#include <stdint.h>

/* Steps until a point escapes; `limit` if it counts as part of the set. */
static inline int mandelbrot_steps(double real, double imaginary, int limit)
{
    double x = 0, y = 0;
    int steps = 0;

    while (steps < limit && x * x + y * y < 4) {
        double next = x * x - y * y + real;
        y = 2 * x * y + imaginary;
        x = next;
        steps++;
    }
    return steps;
}

#define MANDELBROT_LIMIT \
    1000 /* steps after which a point counts as part of the set; the paper states none */

/* --- the cost of its rows --- */

/* In the large cardioid or the disc left of it, where most points of the set are. */
static inline bool is_in_set(double x, double y)
{
    double q = (x - 0.25) * (x - 0.25) + y * y;

    return q * (q + x - 0.25) <= y * y / 4 || (x + 1) * (x + 1) + y * y <= 1.0 / 16;
}

static inline double row_steps(unsigned size, unsigned row)
{
    double y = 1.2 - 2.4 * (row + 0.5) / size, sum = 0;

    for (unsigned column = 0; column < size; column++) {
        double x = -1.8 + 2.3 * (column + 0.5) / size;
        sum += is_in_set(x, y) ? MANDELBROT_LIMIT : mandelbrot_steps(x, y, MANDELBROT_LIMIT);
    }
    return sum;
}

/* Writes the cost of each row of a picture of size * size points, the tasks of K8; all together
 * cost `total`. Rows run along the imaginary axis here. */
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

/* --- drawing it --- */

/* Measurements of a thread in one picture. Written by that thread only. */
struct mandelbrot_thread {
    _Alignas(128) double busy_s; /* in rows */
};

struct mandelbrot {
    int size;        /* rows, and columns */
    uint16_t *steps; /* size * size, by row: steps until the point escaped, 0 .. LIMIT */
    uint16_t *owner; /* by row: the thread that computed it */
    struct mandelbrot_thread *thread; /* by thread number */
};

/* Computes steps and owner, and adds to the measurements of the threads. */
void mandelbrot_draw(struct mandelbrot *picture);

#endif
