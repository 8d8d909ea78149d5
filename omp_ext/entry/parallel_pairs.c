/* Entry points of parallel regions in pairs of a start and an end, as GCC called them before
 * version 4.9.
 *
 * The thread that meets the construct runs the outlined function itself, between the two calls, so
 * what keel_region_run keeps on its stack stands in a record here. */
#include <stdlib.h>

#include "omp_ext/entry/entry.h"
#include "omp_ext/entry/region.h"
#include "omp_ext/loop/loop_policy.h"
#include "omp_ext/loop/loop_time.h"
#include "omp_ext/observe/observed_loop.h"

typedef void outlined_function(void *);

/* A region that this thread has started and not ended. */
struct started {
    struct keel_combined combined;
    struct keel_region region;
    struct keel_loop loop;
    struct keel_thread outer;
    struct keel_region_watch watch;
    struct keel_observed_thread part; /* of this thread */
    bool counts;                      /* its time does, see loop_time.h */
    unsigned depth;
    struct started *below;
};

static _Thread_local struct started *top;
static _Thread_local unsigned depth; /* starts without their end, recorded or not */

/* Switches this thread to a new region, scheduled: that of a loop which Keel decides about. NULL:
 * Keel is not active, or memory is short, and the region is libgomp's alone. */
static struct started *push(outlined_function *outlined, void *data,
                            const struct keel_libgomp *libgomp, const void *caller, bool scheduled)
{
    bool wanted = !libgomp->foreign && (keel_loop_attends() || keel_libgomp_known() == NULL);
    struct started *started = wanted ? aligned_alloc(64, (sizeof *started + 63) / 64 * 64) : NULL;

    depth++;
    if (started == NULL) {
        return NULL;
    }
    started->counts = scheduled && keel_loop_time_before_combined();
    started->region = keel_region_of(libgomp, outlined, data, NULL);
    started->outer = keel_thread;
    started->depth = depth;
    started->below = top;
    top = started;
    started->watch.way = keel_region_way(libgomp, caller, outlined);
    keel_region_fork(&started->region, &started->watch, caller);
    keel_region_enter(&started->region, &started->loop);
    return started;
}

/* The team has started: this thread begins its part, too. */
static void begin_part(struct started *started)
{
    if (started != NULL && started->region.seen != NULL) {
        keel_region_begin_part(&started->region, &started->part);
    }
}

/* Before the team starts. */
static void note_loop(struct started *started, const void *caller, const struct keel_space *space,
                      long kind, uint64_t chunk)
{
    if (started != NULL && started->region.seen != NULL) {
        const struct keel_call_site place = {caller, started->region.outlined};
        started->watch.seen.loop = keel_observed_loop_of(&place, space, false, false, kind, chunk);
    }
}

/* Turns the region into a combined loop under Keel. */
static bool combine(struct started *started, const void *caller, const struct keel_libgomp *libgomp,
                    struct keel_space space, uint64_t grain)
{
    const struct keel_construct construct = {{caller, started->region.outlined}, true, grain};
    const struct keel_policy *policy =
        keel_loop_active() ? keel_loop_combined_policy(libgomp, &construct, &space) : NULL;

    if (policy == NULL) {
        return false;
    }
    started->combined = (struct keel_combined){
        .space = space, .policy = policy, .libgomp = libgomp, .place = construct.place};
    started->region.combined = &started->combined;
    started->loop.combined = &started->combined;
    started->loop.mode = KEEL_LOOP_COMBINED;
    return true;
}

KEEL_ENTRY void GOMP_parallel_start(outlined_function *outlined, void *data, unsigned threads)
{
    const struct keel_libgomp *libgomp = keel_libgomp_of(outlined);
    struct started *started = push(outlined, data, libgomp, KEEL_CALLER, false);

    if (started == NULL) {
        libgomp->GOMP_parallel_start(outlined, data, threads);
    } else {
        libgomp->GOMP_parallel_start(keel_region_run, &started->region, threads);
    }
    begin_part(started);
}

KEEL_ENTRY void GOMP_parallel_sections_start(outlined_function *outlined, void *data,
                                             unsigned threads, unsigned count)
{
    const struct keel_libgomp *libgomp = keel_libgomp_of(outlined);
    struct started *started = push(outlined, data, libgomp, KEEL_CALLER, false);

    if (started == NULL) {
        libgomp->GOMP_parallel_sections_start(outlined, data, threads, count);
    } else {
        libgomp->GOMP_parallel_sections_start(keel_region_run, &started->region, threads, count);
    }
    begin_part(started);
}

KEEL_ENTRY void GOMP_parallel_loop_runtime_start(outlined_function *outlined, void *data,
                                                 unsigned threads, long start, long end, long incr)
{
    const struct keel_libgomp *libgomp = keel_libgomp_of(outlined);
    const struct keel_space space = keel_space_long(start, end, incr);
    struct started *started = push(outlined, data, libgomp, KEEL_CALLER, true);

    note_loop(started, KEEL_CALLER, &space, KEEL_GFS_RUNTIME, 0);
    if (started == NULL) {
        libgomp->GOMP_parallel_loop_runtime_start(outlined, data, threads, start, end, incr);
    } else if (combine(started, KEEL_CALLER, libgomp, space, 1)) {
        libgomp->GOMP_parallel_start(keel_region_run, &started->region, threads);
    } else {
        libgomp->GOMP_parallel_loop_runtime_start(keel_region_run, &started->region, threads, start,
                                                  end, incr);
    }
    begin_part(started);
}

#define EXPLICIT(name, clause, overridden)                                                         \
    KEEL_ENTRY void GOMP_parallel_loop_##name##_start(outlined_function *outlined, void *data,     \
                                                      unsigned threads, long start, long end,      \
                                                      long incr, long chunk)                       \
    {                                                                                              \
        const struct keel_libgomp *libgomp = keel_loop_libgomp(KEEL_CALLER);                       \
        const struct keel_space space = keel_space_long(start, end, incr);                         \
        bool scheduled = keel_loop_active() && (keel_settings()->override & (overridden)) != 0;    \
        struct started *started = push(outlined, data, libgomp, KEEL_CALLER, scheduled);           \
                                                                                                   \
        note_loop(started, KEEL_CALLER, &space, clause, (uint64_t)chunk);                          \
        if (started == NULL) {                                                                     \
            libgomp->GOMP_parallel_loop_##name##_start(outlined, data, threads, start, end, incr,  \
                                                       chunk);                                     \
        } else if (scheduled &&                                                                    \
                   combine(started, KEEL_CALLER, libgomp, space, keel_space_grain(chunk))) {       \
            libgomp->GOMP_parallel_start(keel_region_run, &started->region, threads);              \
        } else {                                                                                   \
            libgomp->GOMP_parallel_loop_##name##_start(keel_region_run, &started->region, threads, \
                                                       start, end, incr, chunk);                   \
        }                                                                                          \
        begin_part(started);                                                                       \
    }

EXPLICIT(static, KEEL_GFS_STATIC, 0)
EXPLICIT(dynamic, KEEL_GFS_DYNAMIC, KEEL_OVERRIDE_DYNAMIC)
EXPLICIT(guided, KEEL_GFS_GUIDED, KEEL_OVERRIDE_GUIDED)

/* The team has left the record when libgomp returns. */
KEEL_ENTRY void GOMP_parallel_end(void)
{
    struct started *ended = top != NULL && top->depth == depth ? top : NULL;
    bool observed = ended != NULL && ended->region.seen != NULL;

    if (observed) {
        keel_observed_end(&ended->part);
    }
    keel_loop_libgomp(KEEL_CALLER)->GOMP_parallel_end();
    if (ended != NULL) {
        keel_region_leave(&ended->outer);
        keel_region_join(&ended->watch);
        keel_loop_time_after_combined(ended->counts);
        top = ended->below;
        free(ended);
    }
    depth--;
}
