/* A range of units [low, high) in one 64-bit word, low in the upper half: what nobody has begun
 * of a block. One compare-and-swap takes from its front or cuts off its end, so the word hands out
 * disjoint units in any order of claims. */
#ifndef SCHEDULES_CLAIM_PACKED_RANGE_H
#define SCHEDULES_CLAIM_PACKED_RANGE_H

#include <stdint.h>

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

#endif
