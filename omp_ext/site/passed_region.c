/* Short regions that need nothing of Keel. */
#include "omp_ext/site/passed_region.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/brief_lock.h"
#include "omp_ext/support/unload.h"
#include "schedules/learn/worthwhile.h"

#define REGIONS_MAX 512
#define SLOTS (4 * REGIONS_MAX) /* a power of two, so that the table is never full */
#define PASSINGS_MAX 64         /* of a region: they are kept for good */
#define REST_MAX 255            /* instances that are not looked at */

/* Never freed. The first field never changes. */
struct keel_known_region {
    _Alignas(64) void (*outlined)(void *);
    _Atomic(const struct keel_passing *) passing; /* what was learned last; NULL: nothing holds */
    _Atomic unsigned rest;           /* instances that are not looked at, from now on */
    struct keel_brief_lock lock;     /* guards what follows */
    unsigned unloadings;             /* keel_unload_count at which it was looked at */
    unsigned rested;                 /* what `rest` was at first, the last time */
    unsigned returns;                /* times that it was passed on and would have needed Keel */
    unsigned passings;               /* that have been made, */
    const struct keel_passing *made; /* the last one first */
    unsigned instances; /* one after the other that have met the same and needed nothing */
    uint64_t epoch;     /* of these */
    double least_ns;    /* of these */
    unsigned count;     /* of the loops that they have met */
    struct keel_met_loop loop[KEEL_MET_LOOPS_MAX];
};

static _Atomic(struct keel_known_region *) table[SLOTS];
static atomic_uint regions;

/* --- what a region meets --- */

static struct keel_met_loop *find(struct keel_met_loop *loop, unsigned count, const void *caller)
{
    for (unsigned i = 0; i < count; i++) {
        if (loop[i].caller == caller) {
            return &loop[i];
        }
    }
    return NULL;
}

/* Adds a loop to `count` others, of which it may be one; false: there is no room, or its team is
 * another one now. */
static bool merge(struct keel_met_loop *loops, unsigned *count, const struct keel_met_loop *loop)
{
    struct keel_met_loop *known = find(loops, *count, loop->caller);

    if (known == NULL) {
        if (*count == KEEL_MET_LOOPS_MAX) {
            return false;
        }
        loops[(*count)++] = *loop;
        return true;
    }
    known->most = loop->most > known->most ? loop->most : known->most;
    return known->threads == loop->threads;
}

void keel_met_loops_divided(struct keel_met_loops *met, const struct keel_met_loop *loop)
{
    if (met->passing == NULL && !merge(met->loop, &met->count, loop)) {
        met->needs_keel = true;
    }
}

/* Regions meet their loops in the same order, mostly. */
void keel_met_loops_check(struct keel_met_loops *met, const void *caller, uint64_t threads,
                          uint64_t iterations)
{
    const struct keel_passing *passing = met->passing;

    if (passing == NULL) {
        return;
    }
    for (unsigned tried = 0; tried < passing->count; tried++) {
        const struct keel_met_loop *loop = &passing->loop[met->count];
        met->count = met->count + 1 < passing->count ? met->count + 1 : 0;
        if (loop->caller == caller) {
            met->needs_keel |=
                iterations > loop->most || (loop->threads != threads && loop->threads != 0);
            return;
        }
    }
    met->needs_keel = true;
}

/* --- the table --- */

static size_t slot_of(void (*outlined)(void *))
{
    return (size_t)(((uintptr_t)outlined * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % SLOTS;
}

static struct keel_known_region *make(void (*outlined)(void *))
{
    /* relaxed: it counts, no more; some threads may make one each at the end */
    struct keel_known_region *region =
        atomic_load_explicit(&regions, memory_order_relaxed) < REGIONS_MAX
            ? aligned_alloc(_Alignof(struct keel_known_region), sizeof *region)
            : NULL;

    if (region != NULL) {
        memset(region, 0, sizeof *region);
        region->outlined = outlined;
    }
    return region;
}

/* Puts a new region into the free slot, unless another thread has filled that meanwhile; returns
 * what is in there now. */
static struct keel_known_region *fill(size_t slot, void (*outlined)(void *))
{
    struct keel_known_region *there = NULL, *made = make(outlined);

    /* release: what the region holds is seen with it; acquire: pairs with another thread's */
    if (made == NULL) {
        return NULL;
    }
    if (!atomic_compare_exchange_strong_explicit(&table[slot], &there, made, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        free(made);
        return there;
    }
    atomic_fetch_add_explicit(&regions, 1, memory_order_relaxed);
    return made;
}

struct keel_known_region *keel_known_region(void (*outlined)(void *))
{
    for (size_t slot = slot_of(outlined);; slot = (slot + 1) % SLOTS) {
        /* acquire: pairs with the release in fill() */
        struct keel_known_region *region = atomic_load_explicit(&table[slot], memory_order_acquire);
        if (region == NULL) {
            region = fill(slot, outlined);
        }
        if (region == NULL || region->outlined == outlined) {
            return region;
        }
    }
}

/* --- learning --- */

const struct keel_passing *keel_known_region_passing(const struct keel_known_region *region,
                                                     uint64_t epoch)
{
    /* acquire: pairs with the release in pass_on() */
    const struct keel_passing *passing =
        atomic_load_explicit(&region->passing, memory_order_acquire);

    return passing != NULL && passing->epoch == epoch &&
                   passing->unloadings == keel_unload_count_now()
               ? passing
               : NULL;
}

/* Relaxed here and below: it does not matter how many instances are looked at exactly. */
bool keel_known_region_is_learned(struct keel_known_region *region)
{
    unsigned rest = atomic_load_explicit(&region->rest, memory_order_relaxed);

    if (rest > 0) {
        atomic_store_explicit(&region->rest, rest - 1, memory_order_relaxed);
    }
    return rest == 0;
}

/* Under region->lock, as all below. The longer a region has needed Keel, the more rarely it is
 * looked at. */
static void rest(struct keel_known_region *region)
{
    region->instances = 0;
    region->rested = region->rested < REST_MAX ? 2 * region->rested + 1 : REST_MAX;
    atomic_store_explicit(&region->rest, region->rested, memory_order_relaxed);
}

static void begin(struct keel_known_region *region, uint64_t epoch)
{
    region->instances = 0;
    region->unloadings = keel_unload_count_now();
    region->epoch = epoch;
    region->least_ns = INFINITY;
    region->count = 0;
}

/* false: it has met more loops than there is room for, or one in a team of another size. */
static bool add_loops(struct keel_known_region *region, const struct keel_met_loops *met)
{
    for (unsigned i = 0; i < met->count; i++) {
        if (!merge(region->loop, &region->count, &met->loop[i])) {
            return false;
        }
    }
    return true;
}

/* The next instances are passed on, as long as nothing changes. */
static void pass_on(struct keel_known_region *region)
{
    size_t loops = region->count * sizeof *region->loop;
    struct keel_passing *passing =
        region->passings < PASSINGS_MAX
            ? aligned_alloc(64, (sizeof *passing + loops + 63) & ~(size_t)63)
            : NULL;

    if (passing != NULL) {
        *passing =
            (struct keel_passing){region->epoch, region->unloadings, region->count, region->made};
        memcpy(passing->loop, region->loop, loops);
        region->passings++;
        region->made = passing;
        region->instances = 0;
        region->rested = 0;
        /* release: its loops are seen with it */
        atomic_store_explicit(&region->passing, passing, memory_order_release);
    }
}

static void learn(struct keel_known_region *region, const struct keel_met_loops *met,
                  uint64_t epoch, double region_ns)
{
    if (region->instances == 0 || region->epoch != epoch ||
        region->unloadings != keel_unload_count_now()) {
        begin(region, epoch);
    }
    if (met->needs_keel || !add_loops(region, met)) {
        rest(region);
        return;
    }
    region->instances++;
    region->least_ns = fmin(region->least_ns, region_ns);
    if (keel_worthwhile_pass(region->least_ns, region->instances, region->returns)) {
        pass_on(region);
    }
}

void keel_known_region_learn(struct keel_known_region *region, const struct keel_met_loops *met,
                             uint64_t epoch, double region_ns)
{
    if (keel_brief_lock_try(&region->lock)) {
        learn(region, met, epoch, region_ns);
        keel_brief_lock_release(&region->lock);
    }
}

void keel_known_region_return(struct keel_known_region *region)
{
    if (keel_brief_lock_try(&region->lock)) {
        region->returns++;
        region->instances = 0;
        atomic_store_explicit(&region->passing, NULL, memory_order_relaxed);
        keel_brief_lock_release(&region->lock);
    }
}
