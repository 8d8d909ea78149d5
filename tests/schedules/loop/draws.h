/* Random numbers of the tests: fresh at every run, repeatable through KEEL_TEST_SEED. */
#ifndef KEEL_TESTS_SCHEDULES_LOOP_DRAWS_H
#define KEEL_TESTS_SCHEDULES_LOOP_DRAWS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct draws {
    uint64_t state;
};

/* Takes the seed from KEEL_TEST_SEED or the clock and says which, as a TAP comment. */
static inline struct draws draws_begin(void)
{
    const char *given = getenv("KEEL_TEST_SEED");
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10)
                                  : ((uint64_t)now.tv_nsec << 20) ^ (uint64_t)getpid();
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

#endif
