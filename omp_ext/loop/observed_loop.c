/* One thread's part in a loop that is observed. */
#include "omp_ext/loop/observed_loop.h"

#include <stdlib.h>

/* --- instances that are skipped --- */

struct keel_address_table keel_skips;
struct keel_thread *_Atomic keel_skip_thread;

/* --- parts of threads --- */

/* The part that the thread is in; NULL: none that is seen. */
static inline struct keel_observed_thread *part(void)
{
    return keel_thread.observed != &keel_unobserved ? keel_thread.observed : NULL;
}

static void begin(struct keel_observed_thread *thread, struct keel_observed_region *region,
                  uint32_t number, uint32_t threads)
{
    *thread = (struct keel_observed_thread){
        .outer = keel_thread.observed, .region = region, .thread = number, .threads = threads};
    keel_thread.observed = thread;
    keel_observe_thread_begin(thread);
}

void keel_observed_begin(struct keel_observed_thread *thread, struct keel_observed_region *region,
                         const struct keel_libgomp *libgomp)
{
    begin(thread, region, (uint32_t)libgomp->omp_get_thread_num(),
          (uint32_t)libgomp->omp_get_num_threads());
}

void keel_observed_begin_serial(struct keel_observed_thread *thread)
{
    begin(thread, NULL, 0, 1);
}

void keel_observed_end(struct keel_observed_thread *thread)
{
    keel_observe_thread_end(thread);
    keel_thread.observed = thread->outer;
}

/* A loop outside of all regions has a part for itself alone. NULL: nothing is seen of it. */
static struct keel_observed_thread *part_of_loop(const struct keel_libgomp *libgomp)
{
    if (keel_observed_is_outside(libgomp)) {
        struct keel_observed_thread *thread = malloc(sizeof *thread);
        if (thread != NULL) {
            keel_observed_begin_serial(thread);
            thread->in_heap = true;
        }
    }
    return part();
}

static void end_part_of_loop(struct keel_observed_thread *thread, enum keel_observed_end end)
{
    if (thread->in_heap && end != KEEL_OBSERVED_BARRIER) {
        keel_observed_end(thread);
        free(thread);
    }
}

/* --- its start --- */

/* schedule(runtime) is what libgomp says that it is by now: it counts kinds as its clauses do. */
static void resolve_clause(long *clause, uint64_t *chunk)
{
    const struct keel_libgomp *libgomp = keel_libgomp_known();

    *clause &= ~KEEL_GFS_MONOTONIC;
    if ((*clause == KEEL_GFS_RUNTIME || *clause == KEEL_GFS_AUTO) && libgomp != NULL &&
        libgomp->omp_get_schedule != NULL) {
        int kind, modifier;
        libgomp->omp_get_schedule(&kind, &modifier);
        *clause = kind & ~(int)KEEL_GFS_MONOTONIC;
        *chunk = modifier > 0 ? (uint64_t)modifier : 0;
    }
}

struct keel_observed_loop keel_observed_loop_of(const struct keel_call_site *place,
                                                const struct keel_space *space, bool wide, bool up,
                                                long clause, uint64_t chunk)
{
    bool down = wide ? !up : (int64_t)space->stride < 0;

    resolve_clause(&clause, &chunk);
    return (struct keel_observed_loop){
        .place = *place,
        .iterations = space->iterations,
        .wide = wide,
        .down = down,
        .start = space->start,
        .step = down ? -space->stride : space->stride,
        .clause = clause,
        .chunk = chunk,
    };
}

void keel_observed_loop_before(const struct keel_libgomp *libgomp, const struct keel_start *start,
                               bool ordered)
{
    struct keel_observed_thread *thread = part_of_loop(libgomp);

    if (thread != NULL) {
        thread->loop = keel_observed_loop_of(&start->construct.place, &start->space, start->wide,
                                             start->up, start->kind, start->chunk);
        thread->loop.ordered = ordered;
        thread->loop.began = keel_clock_ticks();
        thread->waited_before = thread->waited;
        thread->waited = 0;
    }
}

void keel_observed_loop_forget(void)
{
    struct keel_observed_thread *thread = part();

    if (thread != NULL) {
        thread->loop.place.caller = NULL;
        thread->waited += thread->waited_before;
        thread->waited_before = 0;
        end_part_of_loop(thread, KEEL_OBSERVED_LOOP_NOWAIT);
    }
}

/* Distance of a value of the loop variable from `from`, in iterations, rounded up. */
static inline uint64_t distance(const struct keel_observed_loop *loop, uint64_t from, uint64_t to)
{
    uint64_t values = loop->down ? from - to : to - from;

    return loop->step == 1 ? values : values / loop->step + (values % loop->step != 0);
}

/* The thread has got a chunk. */
static void count_chunk(struct keel_observed_loop *loop, uint64_t first, uint64_t last)
{
    uint64_t iterations = distance(loop, first, last);

    loop->done += iterations;
    loop->chunks++;
    if (__builtin_expect(keel_observe_times_chunks(), 0)) {
        loop->first = distance(loop, loop->start, first);
        loop->last = loop->first + iterations;
        loop->chunk_began = keel_clock_ticks();
    }
}

/* From now on `next` comes here. */
static void observe_next(struct keel_loop *loop, const struct keel_observed_loop *observed)
{
    keel_loop_instrument(loop, observed->wide, observed->ordered);
    loop->observed = true;
}

bool keel_observed_loop_opened(const struct keel_libgomp *libgomp, const struct keel_start *start,
                               bool by_libgomp, bool taken)
{
    struct keel_observed_thread *thread = part();

    if (thread == NULL) {
        return taken;
    }
    keel_observe_loop(thread);
    if (start->istart == NULL) {
        return taken;
    }
    struct keel_loop *loop = keel_loop_of_team(libgomp);
    if (!by_libgomp) {
        thread->loop.rule = loop->without_libgomp ? KEEL_OBSERVED_STATIC : KEEL_OBSERVED_POLICY;
    }
    if (taken) {
        count_chunk(&thread->loop, *(keel_bound *)start->istart, *(keel_bound *)start->iend);
        observe_next(loop, &thread->loop);
    }
    return taken;
}

void keel_observed_loop_combined(const struct keel_libgomp *libgomp,
                                 const struct keel_observed_loop *loop)
{
    struct keel_observed_thread *thread = part();
    struct keel_loop *own = keel_loop_of_team(libgomp);

    thread->loop = *loop;
    thread->loop.began = thread->since;
    thread->loop.rule =
        own->mode == KEEL_LOOP_COMBINED ? KEEL_OBSERVED_POLICY : KEEL_OBSERVED_LIBGOMP;
    observe_next(own, &thread->loop);
    keel_observe_loop(thread);
}

/* --- its chunks --- */

static void chunk_over(struct keel_observed_thread *thread)
{
    if (__builtin_expect(thread->loop.first < thread->loop.last, 0)) {
        keel_observe_chunk(thread, keel_clock_ticks());
    }
}

void keel_observed_loop_chunk_over(void)
{
    chunk_over(keel_thread.observed);
}

void keel_observed_loop_taken(uint64_t first, uint64_t last)
{
    count_chunk(&keel_thread.observed->loop, first, last);
}

/* --- its end --- */

static void note_policy(struct keel_observed_loop *observed, const struct keel_loop *loop)
{
    if (observed->rule == KEEL_OBSERVED_POLICY && loop != NULL) {
        observed->agreed = loop->agreed;
        observed->policy = loop->policy;
    }
}

void keel_observed_loop_arrive(enum keel_observed_end end, const void *caller)
{
    struct keel_observed_thread *thread = part();

    if (thread == NULL) {
        return;
    }
    chunk_over(thread);
    if (thread->loop.place.caller != NULL) {
        note_policy(&thread->loop, keel_thread.loop);
    }
    keel_observe_arrive(thread, end, caller);
    if (end == KEEL_OBSERVED_LOOP_NOWAIT) {
        end_part_of_loop(thread, end);
    }
}

void keel_observed_loop_leave(enum keel_observed_end end, const void *caller)
{
    struct keel_observed_thread *thread = part();

    if (thread != NULL) {
        keel_observe_leave(thread, end, caller);
        end_part_of_loop(thread, end);
    }
}

/* --- waits for other ranks --- */

__attribute__((visibility("default"))) bool keel_report_waited(double ns)
{
    struct keel_observed_thread *thread = part();

    if (thread == NULL) {
        return false;
    }
    thread->waited += (uint64_t)(ns / keel_clock_ns_per_tick());
    return thread->region != NULL;
}
