/* Medians and quartiles. */
#include "omp_ext/command/compare/statistics/order.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;

    return (first > second) - (first < second);
}

size_t keel_order_sort(double *number, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (!isnan(number[i])) {
            number[kept++] = number[i];
        }
    }
    qsort(number, kept, sizeof *number, by_size);
    return kept;
}

double keel_order_quantile(const double *sorted, size_t count, double part)
{
    if (count == 0) {
        return NAN;
    }
    double place = part * (double)(count - 1);
    size_t below = (size_t)place;
    double rest = place - (double)below;
    return rest > 0 ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
}
