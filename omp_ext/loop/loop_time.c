/* The counters of time in scheduled loops. */
#include "omp_ext/loop/loop_time.h"

#include "omp_ext/machine/clock.h"

atomic_bool keel_watch_on;

static _Alignas(64) struct keel_share_work work;

const struct keel_share_work *keel_watch(void)
{
    atomic_store_explicit(&keel_watch_on, true, memory_order_relaxed);
    return &work;
}

/* CLOCK_MONOTONIC: what is counted is never more than what the program's own clock says, which a
 * rate of ticks that is still being refined could not promise. */
void keel_watch_begin(bool counts)
{
    keel_thread.watched = KEEL_WATCHED_LOOP;
    keel_thread.watched_since_ns = counts ? keel_clock_ns() : 0;
}

void keel_watch_count(void)
{
    uint64_t since_ns = keel_thread.watched_since_ns;

    keel_thread.watched = KEEL_WATCHED_NOTHING;
    if (since_ns != 0) {
        /* relaxed: sums; whoever has seen a loop end by other means sees it counted */
        atomic_fetch_add_explicit(&work.busy_ns, keel_clock_ns() - since_ns, memory_order_relaxed);
        atomic_fetch_add_explicit(&work.loops, 1, memory_order_relaxed);
    }
}
