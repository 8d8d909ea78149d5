/* Short regions that are passed on to libgomp as they are. */
#include "omp_ext/entry/passing.h"

#include "omp_ext/loop/loop.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/site/mode.h"
#include "omp_ext/support/address_table.h"
#include "schedules/learn/worthwhile.h"

#define REGIONS 512 /* a power of two */
#define PLACES 8    /* that a region may stand in */

/* A region of the program. Threads of a team do the same, whatever is found; where two threads
 * learn of one region at once, an instance may not count. */
struct keel_passing_region {
    _Alignas(64) _Atomic(void (*)(void *)) outlined; /* that its threads run; NULL: free */
    atomic_bool passed;
    _Atomic unsigned unloadings; /* keel_unload_count at which it was looked at: later, another
                                    library may be there */
    _Atomic unsigned instances;  /* one after the other that have needed nothing */
    _Atomic unsigned returns;    /* times that it was passed on and would have needed Keel */
};

static struct keel_passing_region regions[REGIONS];

/* Out of line, as begin_anew(): where these are part of what passes a region on, that keeps more on
 * its stack, and a region of a microsecond takes 5 % longer. NULL: there is no room. */
static __attribute__((noinline)) struct keel_passing_region *region_of(void (*outlined)(void *))
{
    size_t slot = keel_address_slot((uintptr_t)outlined, 0, REGIONS);

    for (unsigned i = 0; i < PLACES; i++) {
        struct keel_passing_region *region = &regions[(slot + i) % REGIONS];
        void (*there)(void *) = region->outlined;
        if (there == NULL && atomic_compare_exchange_strong(&region->outlined, &there, outlined)) {
            there = outlined;
        }
        if (there == outlined) {
            return region;
        }
    }
    return NULL;
}

static bool is_known(const struct keel_passing_region *region)
{
    return region->unloadings == keel_unload_count_now();
}

static __attribute__((noinline)) void begin_anew(struct keel_passing_region *region)
{
    region->passed = false;
    region->instances = 0;
    region->unloadings = keel_unload_count_now();
}

static bool may_pass(void)
{
    return keel_region_allows_modes() && keel_thread.costs == NULL && keel_libgomp_known() != NULL;
}

/* The other threads of the team have no loop state, as they are in no region that Keel has seen,
 * and do not know whose libgomp it is: there has to be one only. So this one has none either.
 * Returns whether the region has needed Keel. */
static bool run(void (*outlined)(void *), void *data, unsigned threads, unsigned flags)
{
    const struct keel_thread outer = keel_thread;
    unsigned begun = outer.in_team ? 0 : keel_mode_begin_team(outlined, true, false);
    bool needs_keel = false;

    keel_thread.loop = NULL;
    keel_thread.needs_keel = &needs_keel;
    keel_thread.in_team = true;
    keel_thread.passed_on++;
    keel_libgomp_known()->GOMP_parallel(outlined, data, threads, flags);
    keel_known_costs_release(keel_thread.costs);
    keel_thread.costs = NULL;
    keel_thread.loop = outer.loop;
    keel_thread.needs_keel = outer.needs_keel;
    keel_thread.in_team = outer.in_team;
    keel_thread.passed_on--;
    keel_thread.set_policy = outer.set_policy;
    if (begun != 0) {
        keel_mode_end_team(begun);
    }
    return needs_keel;
}

bool keel_passing_run(struct keel_passing_watch *watch, void (*outlined)(void *), void *data,
                      unsigned threads, unsigned flags)
{
    struct keel_passing_region *region = may_pass() ? region_of(outlined) : NULL;

    watch->region = region;
    if (region == NULL || !region->passed || !is_known(region) || keel_loop_recheck_is_next()) {
        return false;
    }
    keel_thread.regions++;
    if (run(outlined, data, threads, flags)) {
        region->returns++;
        begin_anew(region);
    }
    return true;
}

void keel_passing_fork(struct keel_passing_watch *watch, struct keel_region *region)
{
    watch->needs_keel = false;
    if (watch->region != NULL) {
        watch->began = keel_clock_ticks();
        region->needs_keel = &watch->needs_keel;
    }
}

void keel_passing_join(const struct keel_passing_watch *watch)
{
    struct keel_passing_region *region = watch->region;

    if (region == NULL) {
        return;
    }
    if ((watch->needs_keel && region->instances > 0) || !is_known(region)) {
        begin_anew(region);
    }
    if (!watch->needs_keel) {
        double region_ns = keel_clock_span_ns(watch->began, keel_clock_ticks());
        region->instances++;
        if (keel_worthwhile_pass(region_ns, region->instances, region->returns)) {
            region->passed = true;
        }
    }
}
