/* Replaces worthwhile.c in a libkeel.so for tests: what is settled changes at random, and regions
 * look at it again at random. SETTLED_SEED makes runs repeat as far as threads do. With
 * SETTLED_SEED=always all loops are settled, all regions passed on, and nothing is looked at again.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/learn/learn.h"

static uint32_t draw(void)
{
    static _Atomic uint64_t state;
    uint64_t zero = 0;

    if (atomic_load(&state) == 0) {
        const char *seed = getenv("SETTLED_SEED");
        atomic_compare_exchange_strong(&state, &zero, seed != NULL ? strtoull(seed, NULL, 10) : 1);
    }
    uint64_t z = atomic_fetch_add(&state, 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

static bool is_always(void)
{
    const char *seed = getenv("SETTLED_SEED");

    return seed != NULL && strcmp(seed, "always") == 0;
}

bool keel_worthwhile_static(const struct keel_scheduling_cost *scheduling,
                            const struct keel_trials *trials, bool settled)
{
    (void)scheduling;
    (void)trials;
    return is_always() || (settled ? draw() % 4 != 0 : draw() % 2 != 0);
}

bool keel_worthwhile_recheck(unsigned long region)
{
    (void)region;
    return !is_always() && draw() % 3 == 0;
}

bool keel_worthwhile_pass(double region_ns, unsigned instances, unsigned returns)
{
    (void)region_ns;
    (void)instances;
    (void)returns;
    return is_always() || draw() % 2 == 0;
}
