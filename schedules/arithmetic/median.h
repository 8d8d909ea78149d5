/* A median of a stream of amounts, in constant memory: how many there were between powers of 2, and
 * what they come to together. It is exact where all amounts are alike, and else off by less than
 * the factor 2. Begins as {0}. One thread adds; others may read meanwhile, and are off by that
 * amount. */
#ifndef SCHEDULES_ARITHMETIC_MEDIAN_H
#define SCHEDULES_ARITHMETIC_MEDIAN_H

#include <math.h>
#include <stdint.h>

#define KEEL_MEDIAN_CLASSES 32
#define KEEL_MEDIAN_FIRST 6 /* class 0: below 2^6; class c > 0: from 2^(c + 5) to below 2^(c + 6) */

struct keel_median {
    uint64_t count[KEEL_MEDIAN_CLASSES];
    uint64_t sum[KEEL_MEDIAN_CLASSES];
};

static inline unsigned keel_median_class(uint64_t amount)
{
    unsigned bits = amount > 0 ? 64 - (unsigned)__builtin_clzll(amount) : 0;

    if (bits <= KEEL_MEDIAN_FIRST) {
        return 0;
    }
    return bits - KEEL_MEDIAN_FIRST < KEEL_MEDIAN_CLASSES ? bits - KEEL_MEDIAN_FIRST
                                                          : KEEL_MEDIAN_CLASSES - 1;
}

/* Adds an amount that was seen `times` times. */
static inline void keel_median_add(struct keel_median *median, uint64_t amount, uint64_t times)
{
    unsigned class = keel_median_class(amount);

    median->count[class] += times;
    median->sum[class] += times * amount;
}

static inline void keel_median_merge(struct keel_median *into, const struct keel_median *other)
{
    for (unsigned class = 0; class < KEEL_MEDIAN_CLASSES; class ++) {
        into->count[class] += other->count[class];
        into->sum[class] += other->sum[class];
    }
}

static inline uint64_t keel_median_count(const struct keel_median *median)
{
    uint64_t count = 0;

    for (unsigned class = 0; class < KEEL_MEDIAN_CLASSES; class ++) {
        count += median->count[class];
    }
    return count;
}

/* The mean of those in the class of the median; of two in the middle, the lower one counts. 0:
 * there were none. */
static inline double keel_median_of(const struct keel_median *median)
{
    uint64_t half = (keel_median_count(median) + 1) / 2, below = 0;

    for (unsigned class = 0; class < KEEL_MEDIAN_CLASSES; class ++) {
        below += median->count[class];
        if (below >= half && median->count[class] > 0) {
            return fmin((double)median->sum[class] / (double)median->count[class],
                        ldexp(1, (int)(class + KEEL_MEDIAN_FIRST)));
        }
    }
    return 0;
}

#endif
