/* Small arithmetic that schedules share: exact, without overflow. */
#ifndef SCHEDULES_ARITHMETIC_ARITHMETIC_H
#define SCHEDULES_ARITHMETIC_ARITHMETIC_H

#if __SIZEOF_POINTER__ != 8
#error "Keel is for 64-bit programs only; compile it without -m32 or -mx32"
#endif

#include <float.h>
#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ceil(a / b), b > 0 */
static inline uint64_t div_ceil(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Nearest representable count below a real: not-a-number and negatives give 0, too large ones the
 * maximum. */
static inline uint64_t count_of(double real)
{
    if (!(real > 0)) {
        return 0;
    }
    return real >= 0x1p64 ? UINT64_MAX : (uint64_t)real;
}

/* For qsort() and bsearch(): doubles, least first. No not-a-numbers. */
static inline int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A finite amount above 0; 0 for all else, not-a-number among it. */
static inline double finite_amount(double value)
{
    return value > 0 && value <= DBL_MAX ? value : 0;
}

#endif
