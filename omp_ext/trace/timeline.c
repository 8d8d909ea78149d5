/* Timelines of threads. */
#define _GNU_SOURCE
#include "omp_ext/trace/trace_writer.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site.h"

#define WRITE_AFTER_NS 1e9
#define TEXT_ROOM 65536 /* KEEL_TIMELINE_TEXT, one more line, and the end of a piece */

static _Atomic(struct keel_timeline *) timelines[KEEL_TIMELINES_MAX];
static pthread_key_t key;
static bool key_exists;
static void (*on_leave)(struct keel_timeline *timeline);
static uint32_t places_of_timeline;

/* --- timelines of threads --- */

static void leave(void *own)
{
    struct keel_timeline *timeline = own;

    on_leave(timeline);
    /* release: pairs with the acquire in take() */
    atomic_store_explicit(&timeline->in_use, false, memory_order_release);
}

void keel_timeline_begin(uint32_t places, void (*leaves)(struct keel_timeline *timeline))
{
    places_of_timeline = places;
    on_leave = leaves;
    key_exists = pthread_key_create(&key, leave) == 0;
}

/* By mmap(): the program may replace the allocator, and unused pages cost nothing. */
static struct keel_timeline *make(uint32_t number)
{
    size_t events = places_of_timeline * sizeof(struct keel_event);
    char *memory = mmap(NULL, events + TEXT_ROOM + sizeof(struct keel_timeline),
                        PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        return NULL;
    }
    struct keel_timeline *timeline = (void *)(memory + events + TEXT_ROOM);
    timeline->event = (void *)memory;
    timeline->text = memory + events;
    timeline->number = number;
    timeline->in_use = true;
    return timeline;
}

/* Takes the timeline of that number if it is free or does not exist yet. */
static struct keel_timeline *take(uint32_t number)
{
    struct keel_timeline *timeline = atomic_load_explicit(&timelines[number], memory_order_acquire);
    bool in_use = false;

    if (timeline != NULL) {
        /* acquire: pairs with the release in leave() */
        return atomic_compare_exchange_strong_explicit(&timeline->in_use, &in_use, true,
                                                       memory_order_acquire, memory_order_relaxed)
                   ? timeline
                   : NULL;
    }
    struct keel_timeline *made = make(number);
    if (made != NULL &&
        !atomic_compare_exchange_strong_explicit(&timelines[number], &timeline, made,
                                                 memory_order_acq_rel, memory_order_relaxed)) {
        munmap(made->event, (size_t)((char *)(made + 1) - (char *)made->event));
        return NULL;
    }
    return made;
}

/* Timeline 0 is reserved for the initial thread. */
static struct keel_timeline *take_any(uint32_t member)
{
    struct keel_timeline *timeline = NULL;

    if (gettid() == getpid()) {
        return take(0);
    }
    if (member > 0 && member < KEEL_TIMELINES_MAX) {
        timeline = take(member);
    }
    for (uint32_t number = 1; timeline == NULL && number < KEEL_TIMELINES_MAX; number++) {
        timeline = take(number);
    }
    return timeline;
}

static __attribute__((noinline)) struct keel_timeline *join(uint32_t member)
{
    struct keel_timeline *timeline = take_any(member);

    if (timeline != NULL) {
        timeline->joined_at = timeline->written_at = keel_clock_ticks();
        pthread_setspecific(key, timeline);
    }
    return timeline;
}

struct keel_timeline *keel_timeline_own(uint32_t member)
{
    struct keel_timeline *timeline = key_exists ? pthread_getspecific(key) : NULL;

    return timeline != NULL || !key_exists ? timeline : join(member);
}

struct keel_timeline *keel_timeline_of(uint32_t number)
{
    /* acquire: pairs with the release in take() */
    return number < KEEL_TIMELINES_MAX
               ? atomic_load_explicit(&timelines[number], memory_order_acquire)
               : NULL;
}

/* --- events --- */

void keel_timeline_drop(struct keel_timeline *timeline)
{
    /* relaxed: a counter that one thread writes */
    uint64_t dropped = atomic_load_explicit(&timeline->dropped, memory_order_relaxed);

    atomic_store_explicit(&timeline->dropped, dropped + 1, memory_order_relaxed);
}

/* Whether the timeline was last written long ago. */
static bool is_due(const struct keel_timeline *timeline, uint64_t now)
{
    return keel_clock_span_ns(timeline->written_at, now) > WRITE_AFTER_NS;
}

bool keel_timeline_add(struct keel_timeline *timeline, const struct keel_event *event,
                       const char *text)
{
    uint32_t used = atomic_load_explicit(&timeline->used, memory_order_relaxed);
    uint32_t places = text != NULL ? keel_event_places(event->length) : 0;

    if (used + 1 + places > places_of_timeline) {
        keel_timeline_drop(timeline);
        return is_due(timeline, event->ended);
    }
    timeline->event[used] = *event;
    if (places > 0) {
        memcpy(&timeline->event[used + 1], text, event->length);
    }
    used += 1 + places;
    /* release: pairs with the acquire in write_line() */
    atomic_store_explicit(&timeline->used, used, memory_order_release);
    return used + 1 + keel_event_places(KEEL_EVENT_TEXT_MAX) > places_of_timeline ||
           is_due(timeline, event->ended);
}

/* --- waits at the ends of regions --- */

#define ENDS 1024 /* of the last regions */

/* The end of region `number`; later regions overwrite it. */
static struct end {
    _Atomic uint64_t number, ticks;
} ends[ENDS];

void keel_region_wait_over(uint64_t region, uint64_t now)
{
    struct end *end = &ends[region % ENDS];

    /* In this order: a reader that finds `number` unchanged before and after reading the time has
     * the time of that region. */
    atomic_store_explicit(&end->number, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&end->ticks, now, memory_order_relaxed);
    atomic_store_explicit(&end->number, region, memory_order_release);
}

static bool find_end(uint64_t region, uint64_t *ticks)
{
    struct end *end = &ends[region % ENDS];

    /* acquire: pairs with the release above */
    if (atomic_load_explicit(&end->number, memory_order_acquire) != region) {
        return false;
    }
    *ticks = atomic_load_explicit(&end->ticks, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&end->number, memory_order_relaxed) == region;
}

void keel_region_wait_begin(struct keel_region_wait *wait, uint64_t region, struct keel_site *site,
                            uint64_t began)
{
    atomic_store_explicit(&wait->began, began, memory_order_relaxed);
    atomic_store_explicit(&wait->site, site, memory_order_relaxed);
    /* release: pairs with the acquire in keel_region_wait_take() */
    atomic_store_explicit(&wait->region, region, memory_order_release);
}

/* Tick counters of cores differ by some ns, so the end that another core has read may be ahead. The
 * values read before the exchange are valid if that succeeds: the thread fills only an emptied
 * wait, with a new number. */
bool keel_region_wait_take(struct keel_region_wait *wait, uint64_t by, struct keel_event *event)
{
    uint64_t region = atomic_load_explicit(&wait->region, memory_order_acquire), ended = by;

    if (region == 0 || (!find_end(region, &ended) && by == 0)) {
        return false;
    }
    *event = (struct keel_event){
        .kind = KEEL_EVENT_WAIT,
        .began = atomic_load_explicit(&wait->began, memory_order_relaxed),
        .ended = by != 0 && (int64_t)(ended - by) > 0 ? by : ended,
        .site = atomic_load_explicit(&wait->site, memory_order_relaxed),
        .instance = region,
        .detail = "region end",
    };
    return atomic_compare_exchange_strong(&wait->region, &region, 0);
}
