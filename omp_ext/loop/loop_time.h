/* The time in scheduled loops, once somebody wants to know it.
 *
 *   entry points -> keel_watch_loop() .. keel_watch_end()        loops of a region
 *                -> keel_watch_combined() .. keel_watch_joined() combined parallel loops
 *                -> counters -> share.c
 *
 * All threads of a team note that they are in a loop, so that regions in its body don't count; one
 * of them reads the clock. The end is where the program calls GOMP_loop_end or a relative of it:
 * each loop does, also one that is cancelled, whoever hands out its chunks; and nothing has to be
 * done for a chunk. */
#ifndef OMP_EXT_LOOP_LOOP_TIME_H
#define OMP_EXT_LOOP_LOOP_TIME_H

#include "omp_ext/loop/loop.h"
#include "omp_ext/lending/lending.h"

extern atomic_bool keel_watch_on;

/* Has loops counted from now on. */
const struct keel_share_work *keel_watch(void);

/* The calling thread, which is in no loop that counts, begins one; counts: it measures it. */
void keel_watch_begin(bool counts);

/* Ends the loop that the thread has begun. */
void keel_watch_count(void);

/* Whether a loop that this thread begins now counts. */
static inline bool keel_watch_wanted(void)
{
    /* relaxed: says only that loops are to be timed. A loop that other threads see as watched
     * already, and this one does not, may miss being counted. */
    return __builtin_expect(atomic_load_explicit(&keel_watch_on, memory_order_relaxed), 0) &&
           keel_thread.watched != KEEL_WATCHED_AROUND;
}

/* Before the thread's part in a loop of its region. */
static inline void keel_watch_loop(const struct keel_libgomp *libgomp)
{
    if (keel_watch_wanted()) {
        keel_watch_begin(libgomp->omp_get_thread_num() == 0);
    }
}

/* The thread's part in the loop of its region is over, if it is in one. */
static inline void keel_watch_end(void)
{
    if (__builtin_expect(keel_thread.watched == KEEL_WATCHED_LOOP, 0)) {
        keel_watch_count();
    }
}

/* Before a combined parallel loop, on the thread that meets it. Returns what keel_watch_joined()
 * has to know. */
static inline bool keel_watch_combined(void)
{
    bool counts = keel_watch_wanted() && keel_thread.watched == KEEL_WATCHED_NOTHING;

    if (counts) {
        keel_watch_begin(true);
    }
    return counts;
}

/* Its team has joined. */
static inline void keel_watch_joined(bool counts)
{
    if (__builtin_expect(counts, 0)) {
        keel_watch_count();
    }
}

/* What the threads of a region begin with that this thread starts now. */
static inline enum keel_watched keel_watch_within(void)
{
    return keel_thread.watched == KEEL_WATCHED_NOTHING ? KEEL_WATCHED_NOTHING : KEEL_WATCHED_AROUND;
}

#endif
