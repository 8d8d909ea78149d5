/* Small arithmetic that schedules share: exact, without overflow; scratch memory, digests, chance
 * and medians. */
#ifndef SCHEDULES_ARITHMETIC_ARITHMETIC_H
#define SCHEDULES_ARITHMETIC_ARITHMETIC_H

#if __SIZEOF_POINTER__ != 8
#error "Keel is for 64-bit programs only; compile it without -m32 or -mx32"
#endif

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The greatest common divisor; of 0 and a number, that number. */
static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* b if either is not a number. */
static inline double max_real(double a, double b)
{
    return a > b ? a : b;
}

/* ceil(a / b), b > 0 */
static inline uint64_t div_ceil(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* The real as a count: rounded down; not-a-number and negatives give 0, too large ones the maximum;
 * none of them raises an exception. */
static inline uint64_t count_of(double real)
{
    if (!isgreater(real, 0)) {
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

/* The value if it is finite and above 0, otherwise 0; not-a-number raises no exception. */
static inline double finite_amount(double value)
{
    return isgreater(value, 0) && value <= DBL_MAX ? value : 0;
}

/* value * part, part 0 .. 1. Values that only fade become 0 before they are so small that they
 * raise an exception. */
static inline double faded(double value, double part)
{
    return fabs(value) > 1e-100 ? part * value : 0;
}

/* --- scratch memory ---
 *
 * Cuts arrays off scratch memory of the caller. */

/* Rounded up to 16, the alignment of malloc, so that any type may follow. */
static inline size_t scratch_aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Room for `count` values of `bytes` each; moves *scratch behind it. */
static inline void *scratch_take(char **scratch, size_t count, size_t bytes)
{
    char *room = *scratch;

    *scratch += count * bytes;
    return room;
}

/* --- digests ---
 *
 * A digest of bytes: FNV-1a, 64 bits (Fowler, Noll, Vo). It detects differences by chance or by
 * damage, not by intent. */

#define KEEL_DIGEST_START UINT64_C(0xcbf29ce484222325) /* of nothing */

/* Extends a digest by these bytes. */
static inline uint64_t keel_digest_bytes(uint64_t digest, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static inline uint64_t keel_digest_text(uint64_t digest, const char *text)
{
    for (; *text != '\0'; text++) {
        digest = keel_digest_bytes(digest, text, 1);
    }
    return digest;
}

/* Folded to 32 bits. */
static inline uint32_t keel_digest_folded(uint64_t digest)
{
    return (uint32_t)(digest ^ digest >> 32);
}

/* --- chance ---
 *
 * Random numbers for forecasts: normal deviates without a generator and without state, the same
 * ones in each forecast (common random numbers). */

#define KEEL_CHANCE_RUNS 16

/* First variables of two families. Among the starts tried, 1 .. 2500, these give the largest of P
 * deviates its mean to within 4 % for P = 2 .. 16. */
#define KEEL_CHANCE_CHUNKS 892
#define KEEL_CHANCE_THREADS 2384

#define KEEL_CHANCE_STEP 0x9e3779b97f4a7c15u /* from one state of splitmix64 to the next */

/* The output of splitmix64 in state z (Steele, Lea & Flood 2014). */
static inline uint64_t keel_chance_drawn(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t keel_chance_mix(uint64_t z)
{
    return keel_chance_drawn(z * KEEL_CHANCE_STEP);
}

/* The value of `variable` in run 0 .. KEEL_CHANCE_RUNS - 1: mean 0, variance 1. Latin hypercube:
 * over all runs each variable takes each of 16 equally likely values once, in an order of its
 * own. */
static inline double keel_chance_normal(uint64_t variable, unsigned run)
{
    static const double score[KEEL_CHANCE_RUNS] = {
        -1.93816, -1.37138, -1.05089, -0.80786, -0.60258, -0.41854, -0.24681, -0.08159,
        0.08159,  0.24681,  0.41854,  0.60258,  0.80786,  1.05089,  1.37138,  1.93816};
    uint64_t mix = keel_chance_mix(variable);
    uint64_t place = run ^ (mix & 15);

    /* each step permutes 0 .. 15 */
    place = (place * ((mix >> 4) | 1)) & 15;
    place ^= place >> 2;
    place = (place * ((mix >> 8) | 1) + (mix >> 12)) & 15;
    place ^= place >> 2;
    place = (place * ((mix >> 16) | 1) + (mix >> 20)) & 15;
    return score[place];
}

/* --- medians ---
 *
 * A median of a stream of amounts, in constant memory: the count and the sum of the amounts between
 * two powers of 2. It is exact if all amounts are equal, otherwise off by less than the factor 2.
 * Begins as {0}. One thread adds; others may read meanwhile, and are off by that amount. */

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

/* Adds an amount that occurred `times` times. */
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

/* The mean of the amounts in the class of the median; of two in the middle, the lower one counts. 0
 * if there are no amounts. */
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
