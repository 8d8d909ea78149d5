/* Rows of the Mandelbrot set: neighbours cost alike, those through the set's middle the most. The
 * window is that of bench/demo. */
#include "bench/imbalance_dir/kernels/kernel.h"

#include <math.h>

#include "bench/demo_dir/mandelbrot.h"

#define LIMIT 256

static size_t size; /* rows, and columns */

static size_t prepare(double scale)
{
    size = kernel_scaled(176, sqrt(scale), 4);
    return size;
}

static double run(size_t row)
{
    double real = 0.5 - (double)row * 2.3 / (double)size;
    long steps = 0;

    for (size_t column = 0; column < size; column++) {
        steps += mandelbrot_steps(real, 1.2 - (double)column * 2.4 / (double)size, LIMIT);
    }
    return (double)steps;
}

const struct kernel kernel_mandelbrot = {
    .name = "mandelbrot", .about = "rows of the Mandelbrot set", .prepare = prepare, .run = run};
