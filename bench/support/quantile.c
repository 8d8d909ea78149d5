/* Statistics of repeated measurements. */
#include "bench/support/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double quantile(const double *value, size_t count, double q)
{
    double *sorted = count > 0 ? malloc(count * sizeof *sorted) : NULL;

    if (sorted == NULL) {
        return NAN;
    }
    memcpy(sorted, value, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < count ? below + 1 : below;
    double between = sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
    free(sorted);
    return between;
}

double median_ratio(const double *a, const double *b, size_t count)
{
    double *ratio = count > 0 ? malloc(count * sizeof *ratio) : NULL;

    if (ratio == NULL) {
        return NAN;
    }
    for (size_t i = 0; i < count; i++) {
        ratio[i] = a[i] / b[i];
    }
    double middle = median(ratio, count);
    free(ratio);
    return middle;
}
