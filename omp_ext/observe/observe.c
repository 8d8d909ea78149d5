/* Passes events to observers. */
#include "omp_ext/observe/observe.h"

#include <stddef.h>

atomic_bool keel_observe_on;

/* Those that take part. Written once, before keel_observe_on. */
static const struct keel_observer *observers[KEEL_OBSERVERS];
static unsigned observer_count;
static bool times_chunks, may_skip = true;

static _Atomic uint64_t regions;

struct keel_observed_thread keel_unobserved;

void keel_observe_begin(const struct keel_observer *const *observer)
{
    for (; *observer != NULL && observer_count < KEEL_OBSERVERS; observer++) {
        if ((*observer)->wanted()) {
            observers[observer_count++] = *observer;
            times_chunks |= (*observer)->times_chunks;
            may_skip &= (*observer)->skips;
        }
    }
    /* release: the list is complete before it is seen */
    atomic_store_explicit(&keel_observe_on, observer_count > 0, memory_order_release);
}

bool keel_observe_times_chunks(void)
{
    return times_chunks;
}

bool keel_observe_may_skip(void)
{
    return may_skip;
}

/* Calls one function of each observer that has it. */
#define NOTIFY(event, ...)                          \
    for (unsigned i = 0; i < observer_count; i++) { \
        if (observers[i]->event != NULL) {          \
            observers[i]->event(__VA_ARGS__);       \
        }                                           \
    }

void keel_observe_fork(struct keel_observed_region *region)
{
    region->number = atomic_fetch_add_explicit(&regions, 1, memory_order_relaxed) + 1;
    region->forked = keel_clock_ticks();
    NOTIFY(fork, region, region->forked)
}

void keel_observe_join(struct keel_observed_region *region)
{
    uint64_t now = keel_clock_ticks();

    NOTIFY(join, region, now)
}

void keel_observe_thread_begin(struct keel_observed_thread *thread)
{
    uint64_t now = keel_clock_ticks();

    thread->began = thread->since = now;
    if (thread->region != NULL && thread->thread == 0) {
        atomic_store_explicit(&thread->region->threads, thread->threads, memory_order_relaxed);
    }
    NOTIFY(begin, thread, now)
}

void keel_observe_thread_end(struct keel_observed_thread *thread)
{
    uint64_t now = keel_clock_ticks();

    NOTIFY(end, thread, now)
    thread->since = now;
}

void keel_observe_loop(struct keel_observed_thread *thread)
{
    thread->constructs++;
    NOTIFY(loop, thread, thread->loop.began)
    thread->since = thread->loop.began;
    thread->waited_before = 0;
}

void keel_observe_chunk(struct keel_observed_thread *thread, uint64_t now)
{
    NOTIFY(chunk, thread, now)
    thread->loop.first = thread->loop.last;
}

void keel_observe_arrive(struct keel_observed_thread *thread, enum keel_observed_end end,
                         const void *caller)
{
    uint64_t now = keel_clock_ticks();

    if (thread->loop.place.caller == NULL) {
        thread->constructs++;
        thread->loop.began = thread->since;
    }
    NOTIFY(arrive, thread, end, caller, now)
    thread->since = now;
    thread->waited = 0;
    if (end == KEEL_OBSERVED_LOOP_NOWAIT) {
        thread->loop.place.caller = NULL;
    }
}

void keel_observe_leave(struct keel_observed_thread *thread, enum keel_observed_end end,
                        const void *caller)
{
    uint64_t now = keel_clock_ticks();

    NOTIFY(leave, thread, end, caller, now)
    thread->since = now;
    thread->waited = 0;
    thread->loop.place.caller = NULL;
}

void keel_observe_unload(void)
{
    NOTIFY(unload)
}
