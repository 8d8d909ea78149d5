/* A range of units [low, high) in one 64-bit word, low in the upper half: what nobody has begun
 * of a block. One compare-and-swap takes from its front or cuts off its end, so the word hands out
 * disjoint units in any order of claims. */
#ifndef SCHEDULES_CLAIM_PACKING_H
#define SCHEDULES_CLAIM_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "schedules/claim/team.h"

static inline uint64_t keel_packed_range(uint64_t low, uint64_t high)
{
    return low << 32 | high;
}

static inline uint64_t keel_packed_range_low(uint64_t range)
{
    return range >> 32;
}

static inline uint64_t keel_packed_range_high(uint64_t range)
{
    return (uint32_t)range;
}

/* In units; 0 where high <= low. */
static inline uint64_t keel_packed_range_length(uint64_t range)
{
    uint64_t low = keel_packed_range_low(range), high = keel_packed_range_high(range);

    return high > low ? high - low : 0;
}

/* Packs the iterations of a loop whose costs are known into chunks that may run in any order.
 *
 *   costs -> chunks of neighbouring iterations -> largest first -> blocks -> team
 *
 * Pure. The same arguments give the same packing. */

/* What keel_team_begin takes. In one piece of memory. */
struct keel_packing {
    const struct keel_chunk_list *list; /* each of its iterations in one chunk */
    const uint64_t *first; /* P + 1 values: where each thread's block begins; NULL: no blocks */
};

/* Packs a loop of `count` >= 1 iterations for `threads` >= 1 threads under a schedule that wants
 * costs. costs: relative, >= 0 and finite, one per iteration; others count as 0, and if all are 0,
 * all are equal. Memory comes from `reallocate`, which works like realloc; the caller frees it.
 * NULL: no memory.
 *
 * A schedule of blocks: each thread gets whole chunks, its largest first, so that the loads of the
 * blocks differ little. The loop's last iteration is left out, for the team to keep back, or if it
 * is a large part of the loop, the last chunk of its block. Others: all chunks, largest first, but
 * the one that ends the loop so late that what lies behind just keeps the other threads busy until
 * it is done. Equally large ones stand as in the loop. O(count + k log k) for k chunks. */
struct keel_packing *keel_packing_build(const struct keel_spec *spec, const double *costs,
                                        uint64_t count, uint64_t threads,
                                        void *(*reallocate)(void *, size_t));

#endif
