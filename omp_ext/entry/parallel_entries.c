/* Entry points of parallel regions, alone and combined with a loop. They only translate arguments.
 *
 * Every region that starts while Keel is active runs through keel_region_run, so that each of its
 * threads has a loop state of its own. */
#include <stdlib.h>

#include "omp_ext/check/check.h"
#include "omp_ext/entry/entry.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/loop/timed_loop.h"
#include "omp_ext/machine/clock.h"

typedef void outlined_function(void *);

/* An entry point for regions; `target` is libgomp's function for it, `__VA_ARGS__` its arguments.
 * If Keel has nothing to do with the region, it passes on; otherwise the body behind ENTRY runs, a
 * function of its own so that passing on needs no stack frame. A frame that this thread reads when
 * the team has joined often shares a cache line with the program's data, which the others have
 * fetched: that costs as much as a short region. */
#define ENTRY(type, name, target, parameters, ...)                                                \
    static type attend_##name(const void *caller, UNPACK parameters);                             \
    KEEL_ENTRY type GOMP_##name parameters                                                        \
    {                                                                                             \
        const struct keel_libgomp *libgomp = keel_libgomp_known();                                \
                                                                                                  \
        return libgomp != NULL && !keel_region_team_is_asked() &&                                 \
                       (keel_loop_is_known_off() || keel_region_take_skip(KEEL_CALLER, outlined)) \
                   ? libgomp->GOMP_##target(__VA_ARGS__)                                          \
                   : attend_##name(KEEL_CALLER, __VA_ARGS__);                                     \
    }                                                                                             \
    static __attribute__((noinline)) type attend_##name(const void *caller, UNPACK parameters)

#define UNPACK(...) __VA_ARGS__

/* The begin of that function: how many threads, and the rest. */
#define PASS_ON(RESULT, PASS, ...)       \
    threads = keel_region_team(threads); \
    PASS_ON_TEAM(RESULT, PASS, __VA_ARGS__)

/* Where the region is not to be run by keel_region_run, PASS calls libgomp's function, RESULT keeps
 * what it returns, and `__VA_ARGS__` is what to return. */
#define PASS_ON_TEAM(RESULT, PASS, ...)                                            \
    const struct keel_libgomp *libgomp = keel_libgomp_of(outlined);                \
    struct keel_region_watch watch; /* large: what is needed is set where it is */ \
                                                                                   \
    watch.way = keel_region_way(libgomp, caller, outlined);                        \
    if (watch.way == KEEL_REGION_HIDE) {                                           \
        struct keel_observed_thread *part = keel_region_hide();                    \
        RESULT libgomp->PASS;                                                      \
        keel_region_show(part);                                                    \
        return __VA_ARGS__;                                                        \
    }

ENTRY(unsigned, parallel_reductions, parallel_reductions,
      (outlined_function * outlined, void *data, unsigned threads, unsigned flags), outlined, data,
      threads, flags)
{
    PASS_ON(unsigned team =, GOMP_parallel_reductions(outlined, data, threads, flags), team)
    struct keel_region region = keel_region_of(libgomp, outlined, data, NULL);
    region.reductions = *(void **)data;
    keel_region_fork(&region, &watch, caller);
    unsigned team = libgomp->GOMP_parallel_reductions(keel_region_run, &region, threads, flags);
    keel_region_join(&watch);
    return team;
}

ENTRY(void, parallel_sections, parallel_sections,
      (outlined_function * outlined, void *data, unsigned threads, unsigned count, unsigned flags),
      outlined, data, threads, count, flags)
{
    PASS_ON(, GOMP_parallel_sections(outlined, data, threads, count, flags))
    struct keel_region region = keel_region_of(libgomp, outlined, data, NULL);
    keel_region_fork(&region, &watch, caller);
    libgomp->GOMP_parallel_sections(keel_region_run, &region, threads, count, flags);
    keel_region_join(&watch);
}

/* A target region that runs on the host runs on the thread that meets it, without a parallel
 * construct around it. Its function identifies it to libgomp and can't be replaced. */
KEEL_ENTRY void GOMP_target_ext(int device, outlined_function *outlined, size_t maps,
                                void **addresses, size_t *sizes, unsigned short *kinds,
                                unsigned flags, void **depend, void **args)
{
    const struct keel_libgomp *libgomp = keel_libgomp_of(outlined);
    struct keel_thread outer = keel_thread;
    struct keel_loop loop = {.mode = KEEL_LOOP_LIBGOMP};
    struct keel_observed_thread part;
    bool observed = keel_observing() && !libgomp->foreign;

    if (observed) {
        keel_observed_begin_serial(&part);
    }
    keel_thread.loop = &loop;
    keel_thread.libgomp = libgomp;
    keel_thread.time_scope = keel_loop_time_scope_within();
    keel_known_costs_acquire(keel_thread.costs);
    libgomp->GOMP_target_ext(device, outlined, maps, addresses, sizes, kinds, flags, depend, args);
    if (observed) {
        keel_observed_end(&part);
    }
    keel_region_leave(&outer);
}

/* --- combined with a loop --- */

/* A loop as its combined construct is called. */
struct combined_loop {
    const struct keel_libgomp *libgomp;
    struct keel_construct construct;
    struct keel_space space;
    long kind; /* KEEL_GFS_... */
    uint64_t chunk;
    struct keel_static_shares *shares; /* that it goes over; NULL: over iterations */
};

/* Whether the loop is best left as the program has it: shares are the program's own to make. */
static bool is_left(const struct combined_loop *loop, const struct keel_policy *policy)
{
    return policy == NULL ||
           (loop->shares != NULL &&
            ((policy->static_shares && policy->trial == NULL) || policy->grain > 1));
}

static void fork_combined(struct keel_region *region, struct keel_region_watch *watch,
                          const struct combined_loop *loop, bool counts)
{
    if (counts && keel_timed_loop_wanted()) {
        region->timed = &loop->space;
    }
    keel_region_fork(region, watch, loop->construct.place.caller);
    if (region->seen != NULL) {
        watch->seen.loop = keel_observed_loop_of(&loop->construct.place, &loop->space, false, false,
                                                 loop->kind, loop->chunk);
    }
}

/* Starts the region as a plain one whose threads find the loop's bounds in `combined`; false: the
 * loop is libgomp's. */
static bool start_combined(const struct combined_loop *loop, struct keel_region_watch *watch,
                           bool counts, void *data, unsigned threads, unsigned flags)
{
    struct keel_combined combined = {
        .space = loop->space,
        .policy = keel_loop_combined_policy(loop->libgomp, &loop->construct, &loop->space),
        .libgomp = loop->libgomp,
        .place = loop->construct.place,
    };

    if (is_left(loop, combined.policy)) {
        return false;
    }
    struct keel_region region =
        keel_region_of(loop->libgomp, loop->construct.place.outlined, data, &combined);
    if (loop->shares != NULL) {
        region.run = keel_static_region_run;
        region.data = loop->shares;
        loop->shares->plain = combined.policy->static_shares;
    }
    fork_combined(&region, watch, loop, counts);
    loop->libgomp->GOMP_parallel(keel_region_run, &region, threads, flags);
    keel_region_join(watch);
    return true;
}

/* --- static loops of the program's, by shares --- */

/* Returns whether the region was run. */
static bool run_static(const void *caller, outlined_function *outlined, void *data,
                       unsigned threads, unsigned flags)
{
    const struct keel_libgomp *libgomp = keel_libgomp_of(outlined);
    struct keel_region_watch watch;
    struct keel_static_shares shares = {.outlined = outlined, .data = data, .caller = caller};
    unsigned team;

    if (!keel_loop_active() || libgomp->foreign || libgomp->omp_in_parallel() ||
        (team = threads != 0 ? threads : (unsigned)libgomp->omp_get_max_threads()) < 2 ||
        (shares.region = keel_static_region_of(outlined, caller)) == NULL) {
        return false;
    }
    if (!keel_static_region_asks(shares.region)) {
        struct keel_observed_thread *part = keel_region_hide();
        libgomp->GOMP_parallel(keel_static_region_watch, &shares, threads, flags);
        keel_region_show(part);
        return true;
    }
    shares.count = (long)team * keel_static_region_shares(shares.region);
    const struct combined_loop loop = {libgomp,
                                       {{caller, outlined}, false, 1},
                                       keel_space_long(0, shares.count, 1),
                                       KEEL_GFS_RUNTIME,
                                       0,
                                       &shares};
    watch.way = keel_region_way(libgomp, caller, outlined);
    if (watch.way == KEEL_REGION_HIDE) {
        return false;
    }
    bool counts = keel_loop_time_before_combined();
    uint64_t began_ns = keel_clock_ns();
    bool run = start_combined(&loop, &watch, counts, data, threads, flags);
    if (run) {
        keel_static_region_time(shares.region, keel_clock_ns() - began_ns);
    }
    keel_loop_time_after_combined(counts);
    return run;
}

ENTRY(void, parallel, parallel,
      (outlined_function * outlined, void *data, unsigned threads, unsigned flags), outlined, data,
      threads, flags)
{
    struct keel_passing_watch passing;

    threads = keel_region_team(threads);
    if (keel_static_regions_are_wanted() && run_static(caller, outlined, data, threads, flags)) {
        return;
    }
    if (keel_passing_run(&passing, outlined, data, threads, flags)) {
        return;
    }
    PASS_ON_TEAM(, GOMP_parallel(outlined, data, threads, flags))
    struct keel_region region = keel_region_of(libgomp, outlined, data, NULL);
    region.check = keel_check_begin_region(caller, outlined);
    keel_passing_fork(&passing, &region);
    keel_region_fork(&region, &watch, caller);
    libgomp->GOMP_parallel(keel_region_run, &region, threads, flags);
    keel_region_join(&watch);
    keel_passing_join(&passing);
}

/* The rest of an entry point: scheduled: Keel may have the loop; otherwise RUN calls libgomp's. */
#define RUN_COMBINED(scheduled, loop, RUN)                                         \
    bool counts = (scheduled) && keel_loop_time_before_combined();                 \
    if (!(scheduled) || !keel_loop_active() ||                                     \
        !start_combined(&loop, &watch, counts, data, threads, flags)) {            \
        struct keel_region region = keel_region_of(libgomp, outlined, data, NULL); \
        fork_combined(&region, &watch, &loop, counts);                             \
        libgomp->RUN;                                                              \
        keel_region_join(&watch);                                                  \
    }                                                                              \
    keel_loop_time_after_combined(counts)

/* name: the entry point; target: libgomp's function for it. */
#define COMBINED_RUNTIME(name, target, in_order)                                                 \
    ENTRY(void, parallel_loop_##name, parallel_loop_##target,                                    \
          (outlined_function * outlined, void *data, unsigned threads, long start, long end,     \
           long incr, unsigned flags),                                                           \
          outlined, data, threads, start, end, incr, flags)                                      \
    {                                                                                            \
        PASS_ON(, GOMP_parallel_loop_##target(outlined, data, threads, start, end, incr, flags)) \
        const struct combined_loop loop = {libgomp,                                              \
                                           {{caller, outlined}, in_order, 1},                    \
                                           keel_space_long(start, end, incr),                    \
                                           KEEL_GFS_RUNTIME,                                     \
                                           0,                                                    \
                                           NULL};                                                \
        RUN_COMBINED(true, loop,                                                                 \
                     GOMP_parallel_loop_##target(keel_region_run, &region, threads, start, end,  \
                                                 incr, flags));                                  \
    }

COMBINED_RUNTIME(runtime, runtime, true)
COMBINED_RUNTIME(nonmonotonic_runtime, runtime, false)
KEEL_ENTRY_ALIAS(GOMP_parallel_loop_maybe_nonmonotonic_runtime,
                 GOMP_parallel_loop_nonmonotonic_runtime);

/* Explicit clauses: Keel's where KEEL_OVERRIDE names them. */
#define COMBINED(name, target, clause, overridden, in_order)                                    \
    ENTRY(void, parallel_loop_##name, parallel_loop_##target,                                   \
          (outlined_function * outlined, void *data, unsigned threads, long start, long end,    \
           long incr, long chunk, unsigned flags),                                              \
          outlined, data, threads, start, end, incr, chunk, flags)                              \
    {                                                                                           \
        PASS_ON(, GOMP_parallel_loop_##target(outlined, data, threads, start, end, incr, chunk, \
                                              flags))                                           \
        const struct combined_loop loop = {                                                     \
            libgomp,                                                                            \
            {{caller, outlined}, in_order, keel_space_grain(chunk)},                            \
            keel_space_long(start, end, incr),                                                  \
            clause,                                                                             \
            (uint64_t)chunk,                                                                    \
            NULL};                                                                              \
        bool scheduled = keel_loop_active() && (keel_settings()->override & (overridden)) != 0; \
        RUN_COMBINED(scheduled, loop,                                                           \
                     GOMP_parallel_loop_##target(keel_region_run, &region, threads, start, end, \
                                                 incr, chunk, flags));                          \
    }

COMBINED(static, static, KEEL_GFS_STATIC, 0, true)
COMBINED(dynamic, dynamic, KEEL_GFS_DYNAMIC, KEEL_OVERRIDE_DYNAMIC, true)
COMBINED(guided, guided, KEEL_GFS_GUIDED, KEEL_OVERRIDE_GUIDED, true)
COMBINED(nonmonotonic_dynamic, dynamic, KEEL_GFS_DYNAMIC, KEEL_OVERRIDE_DYNAMIC,
         keel_settings_keep_order())
COMBINED(nonmonotonic_guided, guided, KEEL_GFS_GUIDED, KEEL_OVERRIDE_GUIDED,
         keel_settings_keep_order())

/* --- entry points of parallel regions in pairs of a start and an end ---
 *
 * As GCC called them before version 4.9: passed on. Loops in between are libgomp's; the thread that
 * meets the construct runs its part itself, and has no loop state there. */

/* Where memory is short, the thread stays what it was. */
static const struct keel_libgomp *begin_pair(outlined_function *outlined)
{
    const struct keel_libgomp *libgomp = keel_libgomp_of(outlined);
    struct keel_thread *outer = keel_thread.passed_on++ == 0 ? malloc(sizeof *outer) : NULL;

    if (outer != NULL) {
        *outer = keel_thread;
        keel_thread = (struct keel_thread){
            .libgomp = libgomp,
            .time_scope = keel_loop_time_scope_within(),
            .set_policy = outer->set_policy,
            .costs = keel_known_costs_acquire(outer->costs),
            .observed = &keel_unobserved,
            .in_team = true,
            .outlined = outer->in_team ? outer->outlined : outlined,
            .passed_on = 1,
            .before_pairs = outer,
        };
    }
    return libgomp;
}

#define PASS_PAIR_ON(name, parameters, ...)                      \
    KEEL_ENTRY void GOMP_parallel_##name parameters              \
    {                                                            \
        begin_pair(outlined)->GOMP_parallel_##name(__VA_ARGS__); \
    }

PASS_PAIR_ON(start, (outlined_function * outlined, void *data, unsigned threads), outlined, data,
             threads)
PASS_PAIR_ON(sections_start,
             (outlined_function * outlined, void *data, unsigned threads, unsigned count), outlined,
             data, threads, count)
PASS_PAIR_ON(loop_runtime_start,
             (outlined_function * outlined, void *data, unsigned threads, long start, long end,
              long incr),
             outlined, data, threads, start, end, incr)

#define PASS_PAIR_ON_EXPLICIT(clause)                                                     \
    PASS_PAIR_ON(loop_##clause##_start,                                                   \
                 (outlined_function * outlined, void *data, unsigned threads, long start, \
                  long end, long incr, long chunk),                                       \
                 outlined, data, threads, start, end, incr, chunk)

PASS_PAIR_ON_EXPLICIT(static)
PASS_PAIR_ON_EXPLICIT(dynamic)
PASS_PAIR_ON_EXPLICIT(guided)

KEEL_ENTRY void GOMP_parallel_end(void)
{
    struct keel_thread *outer = keel_thread.before_pairs;

    keel_loop_libgomp(KEEL_CALLER)->GOMP_parallel_end();
    if (--keel_thread.passed_on == 0 && outer != NULL) {
        keel_known_costs_release(keel_thread.costs);
        keel_thread = *outer;
        keel_thread.passed_on = 0;
        free(outer);
    }
}
