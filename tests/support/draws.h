/* Random numbers of the tests: KEEL_TEST_SEED says which. Without it they are the same in every
 * run. */
#ifndef TESTS_SUPPORT_DRAWS_H
#define TESTS_SUPPORT_DRAWS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

#endif
