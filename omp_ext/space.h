/* Iteration spaces: what stands between a loop variable of the program, with its type, bounds and
 * step, and the iterations 0 .. N - 1 that schedules divide. Pure. */
#ifndef OMP_EXT_SPACE_H
#define OMP_EXT_SPACE_H

#include <stdbool.h>
#include <stdint.h>

/* Iteration i, 0 <= i < iterations, has the value start + i * stride, modulo 2^64. */
struct keel_space {
    uint64_t start;
    uint64_t stride;
    uint64_t end; /* the bound as the program gave it */
    uint64_t iterations;
};

/* The space of a loop over long, and of one over unsigned long long that goes up or down. */
struct keel_space keel_space_long(long start, long end, long incr);
struct keel_space keel_space_ull(bool up, unsigned long long start, unsigned long long end,
                                 unsigned long long incr);

/* The value of an iteration. */
static inline uint64_t keel_space_value(const struct keel_space *space, uint64_t iteration)
{
    return space->start + iteration * space->stride;
}

/* The bound behind which `iteration` begins. The last chunk ends at the program's own bound:
 * start + iterations * stride may lie beyond it, or even wrap. */
static inline uint64_t keel_space_bound(const struct keel_space *space, uint64_t iteration)
{
    return iteration == space->iterations ? space->end : keel_space_value(space, iteration);
}

#endif
