/* Numbers that look drawn, the same in every run: SplitMix64 (Steele, Lea & Flood 2014), a function
 * of a counter. */
#ifndef BENCH_SUPPORT_RANDOM_H
#define BENCH_SUPPORT_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP 0x9e3779b97f4a7c15u /* from one state of a generator to the next */

/* The 64 bits that a state yields. */
static inline uint64_t random_bits(uint64_t state)
{
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
}

/* The next bits of a generator, which begins with any state. */
static inline uint64_t random_next(uint64_t *state)
{
    return random_bits(*state += RANDOM_STEP);
}

/* In [0, 1), a multiple of 2^-53. */
static inline double random_fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

#endif
