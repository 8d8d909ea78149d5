/* The time in scheduled loops, once somebody wants to know it.
 *
 *   loops of a region:       keel_loop_time_before_loop()     .. keel_loop_time_after_loop()
 *   combined parallel loops: keel_loop_time_before_combined() .. keel_loop_time_after_combined()
 *     -> counters -> lending.c
 *
 * All threads of a team note that they are in a loop, so that regions in its body don't count; one
 * of them reads the clock. The end is where the program calls GOMP_loop_end or a relative of it:
 * each loop does, also one that is cancelled, whoever hands out its chunks; and nothing has to be
 * done for a chunk. */
#ifndef OMP_EXT_LOOP_LOOP_TIME_H
#define OMP_EXT_LOOP_LOOP_TIME_H

#include "omp_ext/lending/lending.h"
#include "omp_ext/loop/loop.h"

extern atomic_bool keel_loop_time_on;

/* Has loops counted from now on. */
const struct keel_loop_counters *keel_loop_time_enable(void);

/* The calling thread, which is in no loop that counts, begins one; counts: it measures it. */
void keel_loop_time_begin(bool counts);

/* Ends the loop that the thread has begun. */
void keel_loop_time_add(void);

/* Whether any loops count. */
static inline bool keel_loop_time_counts(void)
{
    /* relaxed: says only that loops are to be timed. A loop that other threads see as counted
     * already, and this one does not, may miss being counted. */
    return __builtin_expect(atomic_load_explicit(&keel_loop_time_on, memory_order_relaxed), 0);
}

/* Whether a loop that this thread begins now counts. */
static inline bool keel_loop_time_wanted(void)
{
    return keel_loop_time_counts() && keel_thread.time_scope != KEEL_LOOP_TIME_OUTER;
}

/* Before the thread's part in a loop of its region. */
static inline void keel_loop_time_before_loop(const struct keel_libgomp *libgomp)
{
    if (keel_loop_time_wanted()) {
        keel_loop_time_begin(libgomp->omp_get_thread_num() == 0);
    }
}

/* The thread's part in the loop of its region is over, if it is in one. */
static inline void keel_loop_time_after_loop(void)
{
    if (__builtin_expect(keel_thread.time_scope == KEEL_LOOP_TIME_OWN, 0)) {
        keel_loop_time_add();
    }
}

/* Before a combined parallel loop, on the thread that meets it. Returns what
 * keel_loop_time_after_combined() has to know. */
static inline bool keel_loop_time_before_combined(void)
{
    bool counts = keel_loop_time_wanted() && keel_thread.time_scope == KEEL_LOOP_TIME_NONE;

    if (counts) {
        keel_loop_time_begin(true);
    }
    return counts;
}

/* Its team has joined. */
static inline void keel_loop_time_after_combined(bool counts)
{
    if (__builtin_expect(counts, 0)) {
        keel_loop_time_add();
    }
}

/* What the threads of a region begin with that this thread starts now. */
static inline enum keel_loop_time_scope keel_loop_time_scope_within(void)
{
    return keel_thread.time_scope == KEEL_LOOP_TIME_NONE ? KEEL_LOOP_TIME_NONE
                                                         : KEEL_LOOP_TIME_OUTER;
}

#endif
