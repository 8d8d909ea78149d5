/* Loops that are timed for the layer across ranks (lending/lending.h). */
#ifndef OMP_EXT_LOOP_TIMED_LOOP_H
#define OMP_EXT_LOOP_TIMED_LOOP_H

#include "omp_ext/lending/lending.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/loop_open.h"

/* --- the time in scheduled loops, once another library wants it ---
 *
 *   loops of a region:       keel_loop_time_before_loop()     .. keel_loop_time_after_loop()
 *   combined parallel loops: keel_loop_time_before_combined() .. keel_loop_time_after_combined()
 *     -> counters -> entry/api.c
 *
 * All threads of a team note that they are in a loop, so that regions in its body don't count; one
 * of them reads the clock. The end is where the program calls GOMP_loop_end or a relative of it:
 * each loop does, also one that is cancelled, whoever hands out its chunks; and nothing has to be
 * done for a chunk. */

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

/* --- one thread's part in a loop whose iterations are timed for a timer (lending/lending.h) ---
 *
 *   a combined loop: keel_timed_loop_combined(), then its first chunk
 *   another one:     its first chunk, then keel_timed_loop_opened()
 *     -> KEEL_LOOP_INSTRUMENTED: chunks of the loop's own mode, or of libgomp, in pieces -> took()
 *
 * Without a timer, that costs one predictable branch per loop, and nothing per chunk. */

/* On the stack of the thread, for all loops of its region. Written and read by it only. */
struct keel_timed_part {
    bool down;              /* it counts down */
    uint64_t start, stride; /* first value; from one iteration to the next, modulo 2^64 */
    const struct keel_loop_timer *timer;
    struct keel_timed_thread thread;
    uint64_t first, last; /* iterations of the piece that runs; equal: none does yet */
    uint64_t chunk_last;  /* behind the chunk that it is of */
    uint64_t chunk_end;   /* the chunk's bound as a value */
    uint64_t began;       /* ticks */
};

extern _Atomic(const struct keel_loop_timer *) keel_timed_loop_timer;

/* The timer gets loops that begin from now on. */
void keel_timed_loop_enable(const struct keel_loop_timer *timer);

/* Whether there is one. */
static inline bool keel_timed_loop_wanted(void)
{
    /* relaxed: says only whether to look; the timer is read by an acquire */
    return __builtin_expect(
        atomic_load_explicit(&keel_timed_loop_timer, memory_order_relaxed) != NULL, 0);
}

/* The thread is in a region that is combined with a counted loop over `space`, over long; no chunk
 * has been taken yet. */
void keel_timed_loop_combined(const struct keel_libgomp *libgomp, const struct keel_space *space);

/* The thread has started the loop of its region, and its first chunk is at istart and iend, where
 * the first piece of it is left. */
void keel_timed_loop_opened(const struct keel_libgomp *libgomp, const struct keel_start *start);

/* For keel_loop_next() in an instrumented loop: the piece that runs is over, and the next one of
 * its chunk is there, or false; there is a next chunk, of which the first piece is left. */
bool keel_timed_loop_piece(struct keel_loop *loop, keel_bound *start, keel_bound *end);
void keel_timed_loop_taken(struct keel_timed_part *part, keel_bound *start, keel_bound *end);

#endif
