/* Regions, loops, chunks and waits for the trace in JSON. */
#include <stdatomic.h>
#include <stddef.h>

#include "omp_ext/site/site.h"
#include "omp_ext/trace/trace_notes.h"
#include "omp_ext/trace/trace_writer.h"

/* --- numbers of loop instances, the same for all threads of a team without their asking ---
 *
 * A region's loops have the numbers behind those of the region before, in the order in which its
 * threads come to them. How many it has shows at its end, so one region at a time can count on: one
 * that runs beside it, or in it, has a block of numbers of its own. */

#define BLOCK (UINT64_C(1) << 24) /* loops and barriers of such a region */
#define COUNTING UINT64_C(1)      /* of `next`, and of a region's numbers: the region counts on */

/* The next number, twice; and whether a region counts on from there. */
static _Atomic uint64_t next = 2 * 1;
static _Atomic uint64_t blocks = 1;

/* What a region that starts now gets; 0 is never one. */
static uint64_t begin_instances(void)
{
    uint64_t free = atomic_load_explicit(&next, memory_order_relaxed);

    while ((free & COUNTING) == 0) {
        /* relaxed: a number that stands for itself */
        if (atomic_compare_exchange_weak_explicit(&next, &free, free | COUNTING,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return free | COUNTING;
        }
    }
    return 2 * BLOCK * atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
}

/* The region is over, and had so many loops and barriers. */
static void end_instances(uint64_t region, uint64_t constructs)
{
    if ((region & COUNTING) != 0) {
        atomic_store_explicit(&next, 2 * (region / 2 + constructs), memory_order_relaxed);
    }
}

/* --- events --- */

static struct keel_timeline *timeline_of(const struct keel_observed_thread *thread)
{
    return thread->own[KEEL_OBSERVER_TRACE];
}

/* Whether there is room for events of a kind, for which the state has to be at least `state`. What
 * has none is counted. */
static bool has_room(struct keel_timeline *timeline, enum keel_trace_state state)
{
    if (timeline == NULL || keel_trace_writer_state() >= state) {
        return timeline != NULL;
    }
    keel_timeline_drop(timeline);
    return false;
}

static bool takes_events(struct keel_timeline *timeline)
{
    return has_room(timeline, KEEL_TRACE_NO_CHUNKS);
}

/* --- regions --- */

static uint64_t numbers_of(const struct keel_observed_region *region)
{
    return (uint64_t)(uintptr_t)region->own[KEEL_OBSERVER_TRACE];
}

static void region_forks(struct keel_observed_region *region, uint64_t now)
{
    (void)now;
    if (keel_trace_writer_begun()) {
        region->own[KEEL_OBSERVER_TRACE] = (void *)(uintptr_t)begin_instances();
    }
}

static void note_wait_at_end(struct keel_timeline *timeline, uint64_t now)
{
    struct keel_event event;

    if (keel_region_wait_take_by(&timeline->wait, now, &event) && takes_events(timeline)) {
        keel_note(timeline, &event, NULL);
    }
}

/* The thread has been thread 0 of the team. */
static void region_joins(struct keel_observed_region *region, uint64_t now)
{
    if (numbers_of(region) == 0) {
        return;
    }
    struct keel_timeline *timeline = keel_timeline_own(0);
    keel_region_wait_over(region->number, now);
    if (timeline != NULL) {
        end_instances(numbers_of(region), timeline->constructs);
        note_wait_at_end(timeline, now);
    }
    keel_trace_writer_tick(now);
}

/* Not before the thread has had its line: it may have waited for a processor meanwhile, and another
 * thread may have ended. */
static uint64_t not_before(const struct keel_timeline *timeline, uint64_t ticks)
{
    return (int64_t)(timeline->joined_at - ticks) > 0 ? timeline->joined_at : ticks;
}

static void thread_begins(struct keel_observed_thread *thread, uint64_t now)
{
    bool traced =
        thread->region != NULL ? numbers_of(thread->region) != 0 : keel_trace_writer_begun();
    struct keel_timeline *timeline = traced ? keel_timeline_own(thread->thread) : NULL;

    thread->own[KEEL_OBSERVER_TRACE] = timeline;
    if (timeline == NULL) {
        return;
    }
    note_wait_at_end(timeline, now);
    if (timeline->depth < KEEL_TIMELINE_DEPTH) {
        timeline->region_began[timeline->depth] = not_before(timeline, now);
    }
    timeline->depth++;
}

/* What follows is the wait for the others; how long that is shows when all have come. */
static void note_part(struct keel_timeline *timeline, const struct keel_observed_thread *thread,
                      uint64_t now)
{
    const struct keel_observed_region *region = thread->region;
    struct keel_event event = {
        .kind = KEEL_EVENT_REGION,
        .began = timeline->region_began[timeline->depth],
        .ended = now,
        .site = keel_site_to_name(&region->place),
        .instance = region->number,
        .threads = thread->threads,
    };

    if (takes_events(timeline)) {
        keel_region_wait_begin(&timeline->wait, region->number, event.site, now);
        keel_note(timeline, &event, NULL);
    }
}

static void thread_ends(struct keel_observed_thread *thread, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);

    if (timeline == NULL) {
        return;
    }
    timeline->depth--;
    if (thread->region == NULL) {
        return;
    }
    if (thread->thread == 0) {
        timeline->constructs = thread->constructs;
    }
    if (timeline->depth < KEEL_TIMELINE_DEPTH) {
        note_part(timeline, thread, now);
    }
}

/* --- loops --- */

static void loop_begins(struct keel_observed_thread *thread, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);

    (void)now;
    if (timeline != NULL && thread->region == NULL) {
        uint64_t alone = begin_instances();
        end_instances(alone, 1);
        timeline->serial_instance = alone / 2;
    }
}

static uint64_t instance_of(const struct keel_observed_thread *thread)
{
    return thread->region != NULL ? numbers_of(thread->region) / 2 + thread->constructs - 1
                                  : timeline_of(thread)->serial_instance;
}

static void chunk_ends(struct keel_observed_thread *thread, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);

    if (has_room(timeline, KEEL_TRACE_ON)) {
        keel_note(timeline,
                  &(struct keel_event){
                      .kind = KEEL_EVENT_CHUNK,
                      .began = thread->loop.chunk_began,
                      .ended = now,
                      .site = keel_site_to_name(&thread->loop.place),
                      .instance = instance_of(thread),
                      .first = thread->loop.first,
                      .last = thread->loop.last,
                      .threads = thread->thread,
                  },
                  NULL);
    }
}

static void note_loop(struct keel_timeline *timeline, const struct keel_observed_thread *thread,
                      uint64_t now)
{
    const struct keel_observed_loop *loop = &thread->loop;
    struct keel_event event = {
        .kind = KEEL_EVENT_LOOP,
        .began = not_before(timeline, loop->began),
        .ended = now,
        .site = keel_site_to_name(&loop->place),
        .instance = instance_of(thread),
        .iterations = loop->iterations,
        .policy = loop->agreed,
        .threads = thread->threads,
        .clause = (uint8_t)loop->clause,
        .has_static_shares = loop->rule == KEEL_OBSERVED_STATIC,
    };

    if (loop->agreed != NULL) {
        event.run = loop->policy;
    } else {
        event.chunk = loop->chunk;
    }
    keel_note(timeline, &event, NULL);
}

static void thread_arrives(struct keel_observed_thread *thread, enum keel_observed_end end,
                           const void *caller, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);

    (void)caller;
    if (end != KEEL_OBSERVED_BARRIER && thread->loop.place.caller != NULL &&
        takes_events(timeline)) {
        note_loop(timeline, thread, now);
    }
}

/* A barrier has no name but its place. */
static void thread_leaves(struct keel_observed_thread *thread, enum keel_observed_end end,
                          const void *caller, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);
    bool of_loop = end != KEEL_OBSERVED_BARRIER && thread->loop.place.caller != NULL;
    struct keel_call_site barrier = {.caller = caller};

    if (takes_events(timeline)) {
        keel_note(timeline,
                  &(struct keel_event){
                      .kind = KEEL_EVENT_WAIT,
                      .began = thread->since,
                      .ended = now,
                      .site = keel_site_to_name(of_loop ? &thread->loop.place : &barrier),
                      .instance = of_loop ? instance_of(thread) : 0,
                      .detail = of_loop ? "loop end" : "barrier",
                  },
                  NULL);
    }
}

const struct keel_observer keel_trace_observer = {
    .wanted = keel_trace_writer_begin,
    .times_chunks = true,
    .fork = region_forks,
    .join = region_joins,
    .begin = thread_begins,
    .end = thread_ends,
    .loop = loop_begins,
    .chunk = chunk_ends,
    .arrive = thread_arrives,
    .leave = thread_leaves,
    .unload = keel_trace_writer_write_all,
};
