/* Numbers of loop instances. */
#include "omp_ext/trace/instances.h"

#include <stdatomic.h>
#include <stdbool.h>

#define COUNTING UINT64_C(1) /* of `next`, and of a region's numbers: the region counts on */

/* The next number, twice; and whether a region counts on from there. */
static _Atomic uint64_t next = 2 * 1;
static _Atomic uint64_t blocks = 1;

static uint64_t new_block(void)
{
    return 2 * KEEL_INSTANCES_BLOCK * atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
}

uint64_t keel_instances_begin(void)
{
    uint64_t free = atomic_load_explicit(&next, memory_order_relaxed);

    while ((free & COUNTING) == 0) {
        /* relaxed: a number that stands for itself */
        if (atomic_compare_exchange_weak_explicit(&next, &free, free | COUNTING,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return free | COUNTING;
        }
    }
    return new_block();
}

uint64_t keel_instances_number(uint64_t region, uint64_t construct)
{
    return region / 2 + construct - 1;
}

void keel_instances_end(uint64_t region, uint64_t constructs)
{
    if ((region & COUNTING) != 0) {
        atomic_store_explicit(&next, 2 * (region / 2 + constructs), memory_order_relaxed);
    }
}

uint64_t keel_instances_single(void)
{
    uint64_t region = keel_instances_begin();

    keel_instances_end(region, 1);
    return keel_instances_number(region, 1);
}
