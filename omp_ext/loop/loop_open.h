/* Joining an instance of a loop: agreeing on its policy, and setting up how the thread gets its
 * chunks.
 *
 *   entry points -> keel_loop_open() -> instance -> agreement -> plan, mode -> keel_loop_next()
 */
#ifndef OMP_EXT_LOOP_LOOP_OPEN_H
#define OMP_EXT_LOOP_LOOP_OPEN_H

#include "omp_ext/loop/loop.h"
#include "omp_ext/site/site.h"

/* A loop as the program starts it, for Keel and, should the team agree on that, for libgomp. */
struct keel_start {
    struct keel_space space;
    struct keel_construct construct; /* not of a combined loop: no outlined function */
    struct keel_mode *mode;          /* of the program's loop; NULL: it has none of its own */
    bool wide;                       /* over unsigned long long; false: over long */
    bool up;                         /* wide: it counts up */
    unsigned flags;                  /* KEEL_WORKSHARING_... of the plugin; 0: it is without it */
    long kind; /* libgomp's start: KEEL_GFS_... of the clause, and the chunk there */
    keel_ull chunk;
    void *istart, *iend;   /* where a chunk goes: long or, if wide, keel_ull */
    uintptr_t *reductions; /* task reductions; NULL: none */
    void **memory; /* in: bytes that the program wants to share, out: where they are; NULL: none */
};

/* The mode of a loop whose policy->settled_site is not NULL. */
static inline struct keel_mode *keel_start_mode(const struct keel_start *start,
                                                const struct keel_policy *policy)
{
    return start->mode != NULL ? start->mode : &policy->settled_site->own;
}

enum keel_opened {
    KEEL_OPENED_NOTHING,     /* libgomp's own start function is to be called */
    KEEL_OPENED,             /* keel_loop_next gives this thread's chunks */
    KEEL_LIBGOMP_CHUNK,      /* libgomp's `next` does, and its first one is at istart and iend */
    KEEL_LIBGOMP_NONE,       /* libgomp has none for this thread */
    KEEL_STATIC_SHARE_CHUNK, /* there is one chunk for this thread, at istart and iend */
    KEEL_STATIC_SHARE_NONE   /* there is none */
};

/* Joins the instance of a loop that each thread of the team starts, as libgomp's *_start do. All
 * run it under what the first thread proposes, which may be keel_policy_libgomp. */
enum keel_opened keel_loop_open(const struct keel_libgomp *libgomp, const struct keel_start *start,
                                const struct keel_policy *policy);

/* The same for an ordered loop, but all threads have to propose the same. Chunks are handed out in
 * order, and the ordered regions of each wait for those of the chunk before. */
enum keel_opened keel_loop_open_ordered(const struct keel_libgomp *libgomp,
                                        const struct keel_start *start,
                                        const struct keel_policy *policy);

/* Gives this thread its static share, the same as the compiler does; libgomp is not called. For
 * loops that share no memory, and where each thread of the team finds by itself that the loop is
 * static. */
enum keel_opened keel_loop_open_static(const struct keel_libgomp *libgomp,
                                       const struct keel_start *start);

/* --- a thread's next chunk ---
 *
 *   keel_loop_next() -> [by the loop's mode: a claim] -> units -> values of the loop variable */

/* keel_loop_next for all modes but KEEL_LOOP_EQUAL. */
bool keel_loop_next_other(struct keel_loop *loop, keel_bound *start, keel_bound *end);

/* Equal chunks need neither plan nor table. All fields are read before the claim: the processor
 * holds back every load behind an atomic operation. */
static inline bool keel_loop_next_equal(struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    keel_claim_prefetch(loop->claims);
    uint64_t first = loop->space.start, bound = loop->space.end;
    uint64_t stride = loop->chunk_stride, last_step = loop->last_step;
    uint64_t step = keel_claim_next_step(loop->claims);

    if (__builtin_expect(step > last_step, 0)) {
        return keel_loop_finish(loop);
    }
    *start = first + step * stride;
    *end = step == last_step ? bound : first + step * stride + stride;
    return true;
}

/* The thread's next chunk as loop values [*start, *end); false: none, and the loop is over for this
 * thread. */
static inline bool keel_loop_next(struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    if (loop->mode == KEEL_LOOP_EQUAL) {
        return keel_loop_next_equal(loop, start, end);
    }
    return keel_loop_next_other(loop, start, end);
}

#endif
