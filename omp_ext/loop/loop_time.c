/* The counters of time in scheduled loops. */
#include "omp_ext/loop/loop_time.h"

#include "omp_ext/machine/clock.h"

atomic_bool keel_loop_time_on;

static _Alignas(64) struct keel_loop_counters work;

const struct keel_loop_counters *keel_loop_time_enable(void)
{
    atomic_store_explicit(&keel_loop_time_on, true, memory_order_relaxed);
    return &work;
}

/* CLOCK_MONOTONIC: what is counted is never more than what the program's own clock says, which a
 * rate of ticks that is still being refined could not promise. */
void keel_loop_time_begin(bool counts)
{
    keel_thread.time_scope = KEEL_LOOP_TIME_OWN;
    keel_thread.timed_since_ns = counts ? keel_clock_ns() : 0;
}

void keel_loop_time_add(void)
{
    uint64_t since_ns = keel_thread.timed_since_ns;

    keel_thread.time_scope = KEEL_LOOP_TIME_NONE;
    if (since_ns != 0) {
        /* relaxed: sums; whoever has seen a loop end by other means sees it counted */
        atomic_fetch_add_explicit(&work.busy_ns, keel_clock_ns() - since_ns, memory_order_relaxed);
        atomic_fetch_add_explicit(&work.loops, 1, memory_order_relaxed);
    }
}
