/* Short regions that need nothing of Keel. */
#include "omp_ext/site/passed_region.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/address_table.h"
#include "omp_ext/support/brief_lock.h"
#include "omp_ext/support/unload.h"
#include "schedules/learn/worthwhile.h"

#define REGIONS_MAX 512
#define SLOTS (4 * REGIONS_MAX) /* a power of two, so that the table is never full */

/* Never freed. */
struct keel_known_region {
    _Alignas(64) struct keel_address_key key; /* the function, outlined */
    atomic_bool passed;
    _Atomic unsigned unloadings; /* keel_unload_count at which it was looked at: later, another
                                    library may be there */
    struct keel_brief_lock lock; /* guards what follows */
    unsigned returns;            /* times that it was passed on and would have needed Keel */
    unsigned instances;          /* one after the other that have needed nothing */
    double least_ns;             /* of these */
};

static _Atomic(void *) table[SLOTS];
static atomic_uint regions;

/* --- the table --- */

static struct keel_known_region *make(void (*outlined)(void *))
{
    /* relaxed: it counts, no more; some threads may make one each at the end */
    struct keel_known_region *region =
        atomic_load_explicit(&regions, memory_order_relaxed) < REGIONS_MAX
            ? aligned_alloc(_Alignof(struct keel_known_region), sizeof *region)
            : NULL;

    if (region != NULL) {
        memset(region, 0, sizeof *region);
        region->key.first = (uintptr_t)outlined;
    }
    return region;
}

struct keel_known_region *keel_known_region(void (*outlined)(void *))
{
    for (;;) {
        void *there = NULL;
        size_t slot;
        struct keel_known_region *region =
            keel_address_find(table, SLOTS, (uintptr_t)outlined, 0, &slot);
        if (region != NULL || (region = make(outlined)) == NULL) {
            return region;
        }
        /* release: what the region holds is seen with it */
        if (atomic_compare_exchange_strong_explicit(&table[slot], &there, region,
                                                    memory_order_release, memory_order_relaxed)) {
            atomic_fetch_add_explicit(&regions, 1, memory_order_relaxed);
            return region;
        }
        free(region);
    }
}

/* --- learning --- */

/* Relaxed here and below: threads of the team do the same, whatever is found. */
bool keel_known_region_is_passed(const struct keel_known_region *region)
{
    return atomic_load_explicit(&region->passed, memory_order_relaxed) &&
           atomic_load_explicit(&region->unloadings, memory_order_relaxed) ==
               keel_unload_count_now();
}

/* Under region->lock, as below. */
static void begin(struct keel_known_region *region)
{
    region->instances = 0;
    region->least_ns = INFINITY;
    atomic_store_explicit(&region->passed, false, memory_order_relaxed);
    atomic_store_explicit(&region->unloadings, keel_unload_count_now(), memory_order_relaxed);
}

static void learn(struct keel_known_region *region, bool needs_keel, double region_ns)
{
    if (needs_keel || region->instances == 0 ||
        atomic_load_explicit(&region->unloadings, memory_order_relaxed) !=
            keel_unload_count_now()) {
        begin(region);
    }
    if (!needs_keel) {
        region->instances++;
        region->least_ns = fmin(region->least_ns, region_ns);
        if (keel_worthwhile_pass(region->least_ns, region->instances, region->returns)) {
            atomic_store_explicit(&region->passed, true, memory_order_relaxed);
        }
    }
}

void keel_known_region_learn(struct keel_known_region *region, bool needs_keel, double region_ns)
{
    if (keel_brief_lock_try(&region->lock)) {
        learn(region, needs_keel, region_ns);
        keel_brief_lock_release(&region->lock);
    }
}

void keel_known_region_return(struct keel_known_region *region)
{
    if (keel_brief_lock_try(&region->lock)) {
        region->returns++;
        begin(region);
        keel_brief_lock_release(&region->lock);
    }
}
