/* Threads' waits at the ends of regions. */
#include "omp_ext/trace/region_wait.h"

#define ENDS 1024 /* that are remembered: of the last regions */

/* Of region `number`, if that has not been overwritten since. */
static struct end {
    _Atomic uint64_t number, ticks;
} ends[ENDS];

void keel_region_wait_over(uint64_t region, uint64_t now)
{
    struct end *end = &ends[region % ENDS];

    /* In this order: who finds a number before and after it has read the time has its time. */
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

/* What is read before the exchange is right if that succeeds: the thread fills an emptied wait
 * only, with a number that it never had. */
static bool take(struct keel_region_wait *wait, uint64_t region, uint64_t ended,
                 struct keel_event *event)
{
    *event = (struct keel_event){
        .kind = KEEL_EVENT_WAIT,
        .began = atomic_load_explicit(&wait->began, memory_order_relaxed),
        .ended = ended,
        .site = atomic_load_explicit(&wait->site, memory_order_relaxed),
        .instance = region,
        .detail = "region end",
    };
    return atomic_compare_exchange_strong(&wait->region, &region, 0);
}

bool keel_region_wait_take(struct keel_region_wait *wait, struct keel_event *event)
{
    uint64_t region = atomic_load_explicit(&wait->region, memory_order_acquire), ended;

    return region != 0 && find_end(region, &ended) && take(wait, region, ended, event);
}

/* Counters of processors differ by some ns, so the end that another one has read may be ahead. */
bool keel_region_wait_take_by(struct keel_region_wait *wait, uint64_t now, struct keel_event *event)
{
    uint64_t region = atomic_load_explicit(&wait->region, memory_order_acquire), ended = now;

    if (region == 0) {
        return false;
    }
    if (find_end(region, &ended) && (int64_t)(ended - now) > 0) {
        ended = now;
    }
    return take(wait, region, ended, event);
}
