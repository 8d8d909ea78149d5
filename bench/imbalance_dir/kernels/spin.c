/* Loops that only compute, each iteration a number of dependent steps given by a formula. */
#include "bench/imbalance_dir/kernels/kernel.h"

#include <math.h>

#define ITERATIONS 1000
#define STEPS_MEAN 2900.0 /* of one iteration at scale 1 */

static double steps_mean;

/* The logistic map, which does not settle: nothing in it can be foreseen or left out. */
static double spin(size_t i, double steps)
{
    double x = 0.25 + 0.5 * (double)i / ITERATIONS;

    for (uint64_t left = (uint64_t)llround(steps); left > 0; left--) {
        x = 3.9 * x * (1 - x);
    }
    return x;
}

static size_t prepare(double scale)
{
    steps_mean = STEPS_MEAN * scale;
    return ITERATIONS;
}

static double uniform_run(size_t i)
{
    return spin(i, steps_mean);
}

static double increasing_run(size_t i)
{
    return spin(i, 2 * steps_mean * ((double)i + 0.5) / ITERATIONS);
}

static double decreasing_run(size_t i)
{
    return spin(i, 2 * steps_mean * ((double)(ITERATIONS - 1 - i) + 0.5) / ITERATIONS);
}

/* Exponentially distributed: the deviation is as large as the mean. */
static double random_run(size_t i)
{
    return spin(i, -steps_mean * log(1 - kernel_random_at(1, i)));
}

static double tail_run(size_t i)
{
    return spin(i, i < ITERATIONS * 19 / 20 ? steps_mean * 10 / 19 : steps_mean * 10);
}

const struct kernel kernel_uniform = {
    .name = "uniform", .about = "equal iterations", .prepare = prepare, .run = uniform_run};

const struct kernel kernel_increasing = {.name = "increasing",
                                         .about = "cost grows linearly from 0",
                                         .prepare = prepare,
                                         .run = increasing_run};

const struct kernel kernel_decreasing = {.name = "decreasing",
                                         .about = "cost falls linearly to 0",
                                         .prepare = prepare,
                                         .run = decreasing_run};

const struct kernel kernel_random = {.name = "random",
                                     .about = "independent, exponentially distributed cost",
                                     .prepare = prepare,
                                     .run = random_run};

const struct kernel kernel_tail = {.name = "tail",
                                   .about = "the last 1/20 of the iterations is half of the work",
                                   .prepare = prepare,
                                   .run = tail_run};
