/* Statistics of repeated measurements: what every report in bench/ is made of. */
#ifndef BENCH_SUPPORT_QUANTILE_H
#define BENCH_SUPPORT_QUANTILE_H

#include <stddef.h>

/* The q-quantile, 0 <= q <= 1, of value[0 .. count-1], interpolated between neighbours; NAN if
 * count is 0, or without memory for a sorted copy. */
double quantile(const double *value, size_t count, double q);

static inline double median(const double *value, size_t count)
{
    return quantile(value, count, 0.5);
}

/* The median of a[i] / b[i]: values of the same place were measured under the same conditions. */
double median_ratio(const double *a, const double *b, size_t count);

#endif
