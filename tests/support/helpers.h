/* What tests in C share: random numbers, comparison of doubles, no memory, and threads that do
 * nothing for a while. */
#ifndef TESTS_SUPPORT_HELPERS_H
#define TESTS_SUPPORT_HELPERS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* --- random numbers: KEEL_TEST_SEED says which. Without it they are the same in every run --- */

struct draws {
    uint64_t state;
};

/* The seed of this run of the tests. */
static inline uint64_t draws_seed(void)
{
    const char *given = getenv("KEEL_TEST_SEED");

    return given != NULL ? strtoull(given, NULL, 10) : 1;
}

/* Begins with that seed and says which it is, as a TAP comment. */
static inline struct draws draws_begin(void)
{
    uint64_t seed = draws_seed();

    printf("# KEEL_TEST_SEED=%llu\n", (unsigned long long)seed);
    return (struct draws){seed};
}

/* splitmix64 */
static inline uint64_t draws_next(struct draws *draws)
{
    uint64_t z = draws->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. count - 1 */
static inline uint64_t draws_below(struct draws *draws, uint64_t count)
{
    return draws_next(draws) % count;
}

/* 0 .. 1, without 1 */
static inline double draws_real(struct draws *draws)
{
    return (double)(draws_next(draws) >> 11) * 0x1p-53;
}

/* --- comparison of doubles, but for rounding --- */

/* Whether `value` differs from `wanted` by that part of `wanted` at most; infinities are equal. */
static inline bool is_within(double value, double wanted, double error)
{
    return value == wanted || fabs(value - wanted) <= error * fabs(wanted);
}

static inline bool is_near(double value, double wanted)
{
    return is_within(value, wanted, 1e-9);
}

/* The same for quantities about 1, of which some are 0: by 1e-9 at least. */
static inline bool is_near_unit(double value, double wanted)
{
    return fabs(value - wanted) <= 1e-9 * fmax(1, fabs(wanted));
}

/* In tests with cmocka. */
#define assert_near(value, wanted)                                                \
    do {                                                                          \
        double near_value = (value), near_wanted = (wanted);                      \
        if (!is_near(near_value, near_wanted)) {                                  \
            fail_msg("%s: %.17g, wanted %.17g", #value, near_value, near_wanted); \
        }                                                                         \
    } while (0)

/* --- memory --- */

/* Replaces realloc() where there is none. */
static inline void *no_memory(__attribute__((unused)) void *memory,
                              __attribute__((unused)) size_t size)
{
    return NULL;
}

/* --- naps --- */

static inline void nap(uint64_t us)
{
    struct timespec time = {.tv_sec = (time_t)(us / 1000000),
                            .tv_nsec = (long)(us % 1000000) * 1000};

    nanosleep(&time, NULL);
}

#endif
