/* Many instances of regions that are so short that not all of them are recorded, and some of one
 * that is long.
 *
 *   short_regions
 */
#include <omp.h>

#include "tests/support/nap.h"

enum { team = 2, rounds = 20000, inner = 10000, long_ones = 100 };

static int visits[team];

static void often(void)
{
#pragma omp parallel num_threads(team)
    visits[omp_get_thread_num()]++;
}

static void with_loop(void)
{
#pragma omp parallel for num_threads(1) schedule(dynamic, 10)
    for (int i = 0; i < 10; i++) {
        visits[0]++;
    }
}

/* The loop is none outside of all regions, also where nobody sees the region. */
static void alone(void)
{
#pragma omp parallel num_threads(1)
    {
        visits[1]++; /* or it would be a combined loop */
#pragma omp for schedule(dynamic, 10)
        for (int i = 0; i < 10; i++) {
            visits[0]++;
        }
    }
}

/* A loop of so many iterations. Never a part of its caller, where it might stand twice, as two
 * regions. */
static __attribute__((noipa)) void lasting(int iterations)
{
#pragma omp parallel for num_threads(team) schedule(dynamic)
    for (int i = 0; i < iterations; i++) {
        nap(1000);
    }
}

int main(void)
{
    for (int round = 0; round < rounds; round++) {
        often();
        if (round < inner) {
            with_loop();
            alone();
        }
    }
    for (int instance = 1; instance <= long_ones; instance++) {
        lasting(instance <= 80 ? 1 : 5);
    }
    return 0;
}
