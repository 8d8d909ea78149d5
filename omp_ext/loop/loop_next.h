/* A thread's next chunk.
 *
 *   keel_loop_next() -> [by the loop's mode: a claim] -> units -> values of the loop variable
 */
#ifndef OMP_EXT_LOOP_LOOP_NEXT_H
#define OMP_EXT_LOOP_LOOP_NEXT_H

#include "omp_ext/loop/loop.h"

/* keel_loop_next for all modes but KEEL_LOOP_EQUAL. */
bool keel_loop_next_other(struct keel_loop *loop, keel_bound *start, keel_bound *end);

/* Equal chunks need neither plan nor table. All fields are read before the claim: the processor
 * holds back every load that stands behind an atomic operation. */
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
