/* Adaptive quadrature (the trapezoidal rule, halving where it does not suffice) of a function with
 * peaks, an iteration per part of the interval: parts in a peak take many times as long.
 *
 * The function is the sum of w / ((x - c)^2 + w^2) over its peaks; its integral is the sum of
 * atan((1 - c) / w) + atan(c / w). */
#include "bench/imbalance_dir/kernels/kernel.h"

#include <math.h>

#define PARTS 2000       /* of [0, 1] */
#define TOLERANCE 2.0e-8 /* of the integral, at scale 1; evaluations are as its root */
#define DEPTH_MAX 40

static const struct peak {
    double centre, width;
} peaks[] = {{0.13, 3e-2}, {0.37, 4e-3}, {0.52, 1e-2}, {0.71, 2e-3}, {0.93, 5e-3}};

static double tolerance_of_part;

static double function(double x)
{
    double sum = 0;

    for (size_t p = 0; p < sizeof peaks / sizeof *peaks; p++) {
        double from = x - peaks[p].centre, width = peaks[p].width;
        sum += width / (from * from + width * width);
    }
    return sum;
}

/* Two halves have a quarter of the whole's error: a third of what they differ from it is left in
 * them, and may be taken off. */
static double integrate(double from, double at_from, double to, double at_to, double tolerance,
                        int depth)
{
    double middle = (from + to) / 2, at_middle = function(middle);
    double whole = (to - from) * (at_from + at_to) / 2;
    double halves = whole / 2 + (to - from) * at_middle / 2;

    if (depth == DEPTH_MAX || fabs(halves - whole) <= 3 * tolerance) {
        return halves + (halves - whole) / 3;
    }
    return integrate(from, at_from, middle, at_middle, tolerance / 2, depth + 1) +
           integrate(middle, at_middle, to, at_to, tolerance / 2, depth + 1);
}

static size_t prepare(double scale)
{
    tolerance_of_part = TOLERANCE / (scale * scale) / PARTS;
    return PARTS;
}

static double run(size_t i)
{
    double from = (double)i / PARTS, to = (double)(i + 1) / PARTS;

    return integrate(from, function(from), to, function(to), tolerance_of_part, 0);
}

const struct kernel kernel_quadrature = {.name = "quadrature",
                                         .about = "adaptive quadrature of a function with peaks",
                                         .prepare = prepare,
                                         .run = run};
