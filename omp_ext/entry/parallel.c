/* Entry points of parallel regions, alone and combined with a loop. They only translate arguments.
 *
 * Every region that starts while Keel is active runs through keel_region_run, so that each of its
 * threads has a loop state of its own. */
#include "omp_ext/check/check.h"
#include "omp_ext/entry/entry.h"
#include "omp_ext/entry/region.h"
#include "omp_ext/loop/loop_policy.h"
#include "omp_ext/loop/loop_time.h"

typedef void outlined_function(void *);

KEEL_ENTRY void GOMP_parallel(outlined_function *outlined, void *data, unsigned threads,
                              unsigned flags)
{
    const struct keel_libgomp *libgomp = keel_libgomp(KEEL_CALLER);

    if (!keel_loop_active()) {
        libgomp->GOMP_parallel(outlined, data, threads, flags);
        return;
    }
    struct keel_region region = keel_region_of(outlined, data, NULL);
    region.check = keel_check_begin_region(KEEL_CALLER);
    libgomp->GOMP_parallel(keel_region_run, &region, threads, flags);
}

KEEL_ENTRY unsigned GOMP_parallel_reductions(outlined_function *outlined, void *data,
                                             unsigned threads, unsigned flags)
{
    const struct keel_libgomp *libgomp = keel_libgomp(KEEL_CALLER);

    if (!keel_loop_active()) {
        return libgomp->GOMP_parallel_reductions(outlined, data, threads, flags);
    }
    struct keel_region region = keel_region_of(outlined, data, NULL);
    region.reductions = *(void **)data;
    return libgomp->GOMP_parallel_reductions(keel_region_run, &region, threads, flags);
}

KEEL_ENTRY void GOMP_parallel_sections(outlined_function *outlined, void *data, unsigned threads,
                                       unsigned count, unsigned flags)
{
    const struct keel_libgomp *libgomp = keel_libgomp(KEEL_CALLER);

    if (!keel_loop_active()) {
        libgomp->GOMP_parallel_sections(outlined, data, threads, count, flags);
        return;
    }
    struct keel_region region = keel_region_of(outlined, data, NULL);
    libgomp->GOMP_parallel_sections(keel_region_run, &region, threads, count, flags);
}

/* A target region that runs on the host runs on the thread that meets it, without a parallel
 * construct around it. Its function identifies it to libgomp and can't be replaced. */
KEEL_ENTRY void GOMP_target_ext(int device, outlined_function *outlined, size_t maps,
                                void **addresses, size_t *sizes, unsigned short *kinds,
                                unsigned flags, void **depend, void **args)
{
    struct keel_thread outer = keel_thread;
    struct keel_loop loop = {.mode = KEEL_LOOP_LIBGOMP};

    keel_thread.loop = &loop;
    keel_thread.time_scope = keel_loop_time_scope_within();
    keel_known_costs_acquire(keel_thread.costs);
    keel_libgomp(KEEL_CALLER)
        ->GOMP_target_ext(device, outlined, maps, addresses, sizes, kinds, flags, depend, args);
    keel_region_leave(&outer);
}

/* --- combined with a loop --- */

/* Starts the region as a plain one whose threads find the loop's bounds in `combined`; false: the
 * loop is libgomp's. */
static bool start_combined(const void *caller, const struct keel_libgomp *libgomp,
                           outlined_function *outlined, void *data, unsigned threads,
                           struct keel_space space, bool in_order, uint64_t grain, unsigned flags)
{
    const struct keel_construct construct = {{caller, outlined}, in_order, grain};
    struct keel_combined combined = {
        .space = space,
        .policy = keel_loop_combined_policy(libgomp, &construct, &space),
        .libgomp = libgomp,
        .place = construct.place,
    };

    if (combined.policy == NULL) {
        return false;
    }
    struct keel_region region = keel_region_of(outlined, data, &combined);
    libgomp->GOMP_parallel(keel_region_run, &region, threads, flags);
    return true;
}

/* name: the entry point; target: libgomp's function for it. */
#define COMBINED_RUNTIME(name, target, in_order)                                                 \
    KEEL_ENTRY void GOMP_parallel_loop_##name(outlined_function *outlined, void *data,           \
                                              unsigned threads, long start, long end, long incr, \
                                              unsigned flags)                                    \
    {                                                                                            \
        const struct keel_libgomp *libgomp = keel_libgomp(KEEL_CALLER);                          \
                                                                                                 \
        if (!keel_loop_active()) {                                                               \
            libgomp->GOMP_parallel_loop_##target(outlined, data, threads, start, end, incr,      \
                                                 flags);                                         \
            return;                                                                              \
        }                                                                                        \
        bool counts = keel_loop_time_before_combined();                                          \
        if (!start_combined(KEEL_CALLER, libgomp, outlined, data, threads,                       \
                            keel_space_long(start, end, incr), in_order, 1, flags)) {            \
            struct keel_region region = keel_region_of(outlined, data, NULL);                    \
            libgomp->GOMP_parallel_loop_##target(keel_region_run, &region, threads, start, end,  \
                                                 incr, flags);                                   \
        }                                                                                        \
        keel_loop_time_after_combined(counts);                                                   \
    }

COMBINED_RUNTIME(runtime, runtime, true)
COMBINED_RUNTIME(nonmonotonic_runtime, runtime, false)
KEEL_ENTRY_ALIAS(GOMP_parallel_loop_maybe_nonmonotonic_runtime,
                 GOMP_parallel_loop_nonmonotonic_runtime);

/* Explicit clauses: Keel's where KEEL_OVERRIDE names them. */
#define COMBINED(name, target, overridden, in_order)                                               \
    KEEL_ENTRY void GOMP_parallel_loop_##name(outlined_function *outlined, void *data,             \
                                              unsigned threads, long start, long end, long incr,   \
                                              long chunk, unsigned flags)                          \
    {                                                                                              \
        const struct keel_libgomp *libgomp = keel_libgomp(KEEL_CALLER);                            \
                                                                                                   \
        if (!keel_loop_active()) {                                                                 \
            libgomp->GOMP_parallel_loop_##target(outlined, data, threads, start, end, incr, chunk, \
                                                 flags);                                           \
            return;                                                                                \
        }                                                                                          \
        bool scheduled = (keel_settings()->override & (overridden)) != 0;                          \
        bool counts = scheduled && keel_loop_time_before_combined();                               \
        if (!scheduled || !start_combined(KEEL_CALLER, libgomp, outlined, data, threads,           \
                                          keel_space_long(start, end, incr), in_order,             \
                                          keel_space_grain(chunk), flags)) {                       \
            struct keel_region region = keel_region_of(outlined, data, NULL);                      \
            libgomp->GOMP_parallel_loop_##target(keel_region_run, &region, threads, start, end,    \
                                                 incr, chunk, flags);                              \
        }                                                                                          \
        keel_loop_time_after_combined(counts);                                                     \
    }

COMBINED(static, static, 0, true)
COMBINED(dynamic, dynamic, KEEL_OVERRIDE_DYNAMIC, true)
COMBINED(guided, guided, KEEL_OVERRIDE_GUIDED, true)
COMBINED(nonmonotonic_dynamic, dynamic, KEEL_OVERRIDE_DYNAMIC, false)
COMBINED(nonmonotonic_guided, guided, KEEL_OVERRIDE_GUIDED, false)
