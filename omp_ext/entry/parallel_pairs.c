/* Entry points of parallel regions in pairs of a start and an end, as GCC called them before
 * version 4.9: passed on. Loops in between are libgomp's; the thread that meets the construct runs
 * its part itself, and has no loop state there. */
#include <stdlib.h>

#include "omp_ext/entry/entry.h"
#include "omp_ext/entry/region.h"
#include "omp_ext/loop/watched_loop.h"

typedef void outlined_function(void *);

/* Where memory is short, the thread stays what it was. */
static const struct keel_libgomp *begin(outlined_function *outlined)
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

#define PASS_ON(name, parameters, ...)                      \
    KEEL_ENTRY void GOMP_parallel_##name parameters         \
    {                                                       \
        begin(outlined)->GOMP_parallel_##name(__VA_ARGS__); \
    }

PASS_ON(start, (outlined_function * outlined, void *data, unsigned threads), outlined, data,
        threads)
PASS_ON(sections_start,
        (outlined_function * outlined, void *data, unsigned threads, unsigned count), outlined,
        data, threads, count)
PASS_ON(loop_runtime_start,
        (outlined_function * outlined, void *data, unsigned threads, long start, long end,
         long incr),
        outlined, data, threads, start, end, incr)

#define PASS_ON_EXPLICIT(clause)                                                               \
    PASS_ON(loop_##clause##_start,                                                             \
            (outlined_function * outlined, void *data, unsigned threads, long start, long end, \
             long incr, long chunk),                                                           \
            outlined, data, threads, start, end, incr, chunk)

PASS_ON_EXPLICIT(static)
PASS_ON_EXPLICIT(dynamic)
PASS_ON_EXPLICIT(guided)

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
