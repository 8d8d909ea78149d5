/* Medians and quartiles of numbers some of which are missing (not-a-number). Pure. */
#ifndef OMP_EXT_COMMAND_COMPARE_STATISTICS_ORDER_H
#define OMP_EXT_COMMAND_COMPARE_STATISTICS_ORDER_H

#include <stddef.h>

/* Moves what is not missing to the front, in increasing order; how many that are. */
size_t keel_order_sort(double *number, size_t count);

/* The quantile of `count` sorted numbers, 0 <= part <= 1, between two of them where it falls there;
 * not-a-number without any. */
double keel_order_quantile(const double *sorted, size_t count, double part);

#endif
