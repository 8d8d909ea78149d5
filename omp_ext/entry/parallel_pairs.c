/* Entry points of parallel regions in pairs of a start and an end, as GCC called them before
 * version 4.9: passed on. What the team does in between is libgomp's; the thread that meets the
 * construct runs its part itself, with a loop state of its own until the end. */
#include <stdlib.h>

#include "omp_ext/entry/entry.h"
#include "omp_ext/entry/region.h"
#include "omp_ext/loop/loop_policy.h"

typedef void outlined_function(void *);

/* A region that this thread has started and not ended. */
struct started {
    struct keel_loop loop;
    struct keel_thread outer;
    unsigned depth;
    struct started *below;
};

static _Thread_local struct started *top;
static _Thread_local unsigned depth; /* starts without their end, recorded or not */

/* Where Keel is not active, or memory is short, nothing is recorded. */
static const struct keel_libgomp *begin(outlined_function *outlined, void *data)
{
    const struct keel_libgomp *libgomp = keel_libgomp_of(outlined);
    bool wanted = !libgomp->foreign && (keel_loop_attends() || keel_libgomp_known() == NULL);
    struct started *started = wanted ? aligned_alloc(64, (sizeof *started + 63) / 64 * 64) : NULL;

    depth++;
    if (started != NULL) {
        const struct keel_region region = keel_region_of(libgomp, outlined, data, NULL);
        started->outer = keel_thread;
        started->depth = depth;
        started->below = top;
        top = started;
        keel_region_enter(&region, &started->loop);
        started->loop.before_activity = true; /* the others of the team have no state */
        keel_region_hide();
    }
    return libgomp;
}

#define PASS_ON(name, parameters, ...)                            \
    KEEL_ENTRY void GOMP_parallel_##name parameters               \
    {                                                             \
        begin(outlined, data)->GOMP_parallel_##name(__VA_ARGS__); \
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
    struct started *ended = top != NULL && top->depth == depth ? top : NULL;

    keel_loop_libgomp(KEEL_CALLER)->GOMP_parallel_end();
    if (ended != NULL) {
        keel_region_leave(&ended->outer);
        top = ended->below;
        free(ended);
    }
    depth--;
}
