/* One thread's part in a loop whose iterations are timed for a watcher (lending/lending.h).
 *
 *   a combined loop: keel_watched_loop_combined(), then its first chunk
 *   another one:     its first chunk, then keel_watched_loop_opened()
 *     -> KEEL_LOOP_INSTRUMENTED: chunks of the loop's own mode, or of libgomp, in pieces -> took()
 *
 * While nobody watches, that costs one predictable branch per loop, and nothing per chunk. */
#ifndef OMP_EXT_LOOP_WATCHED_LOOP_H
#define OMP_EXT_LOOP_WATCHED_LOOP_H

#include "omp_ext/lending/lending.h"
#include "omp_ext/loop/loop_open.h"

/* On the stack of the thread, for all loops of its region. Written and read by it only. */
struct keel_watched_part {
    bool down;              /* it counts down */
    uint64_t start, stride; /* first value; from one iteration to the next, modulo 2^64 */
    const struct keel_loop_watcher *watcher;
    struct keel_watch watch;
    uint64_t first, last; /* iterations of the piece that runs; equal: none does yet */
    uint64_t chunk_last;  /* behind the chunk that it is of */
    uint64_t chunk_end;   /* the chunk's bound as a value */
    uint64_t began;       /* ticks */
};

extern _Atomic(const struct keel_loop_watcher *) keel_watched_loop_watcher;

/* Has the watcher told of loops that begin from now on. */
void keel_watched_loop_enable(const struct keel_loop_watcher *watcher);

/* Whether anybody watches. */
static inline bool keel_watched_loop_wanted(void)
{
    /* relaxed: says only whether to look; the watcher is read by an acquire */
    return __builtin_expect(
        atomic_load_explicit(&keel_watched_loop_watcher, memory_order_relaxed) != NULL, 0);
}

/* The thread is in a region that is combined with a counted loop over `space`, over long; no chunk
 * has been taken yet. */
void keel_watched_loop_combined(const struct keel_libgomp *libgomp, const struct keel_space *space);

/* The thread has started the loop of its region, and its first chunk is at istart and iend, where
 * the first piece of it is left. */
void keel_watched_loop_opened(const struct keel_libgomp *libgomp, const struct keel_start *start);

/* For keel_loop_next() in an instrumented loop: the piece that runs is over, and the next one of
 * its chunk is there, or false; there is a next chunk, of which the first piece is left. */
bool keel_watched_loop_piece(struct keel_loop *loop, keel_bound *start, keel_bound *end);
void keel_watched_loop_taken(struct keel_watched_part *part, keel_bound *start, keel_bound *end);

#endif
