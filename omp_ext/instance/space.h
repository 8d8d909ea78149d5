/* Iteration spaces: map a loop variable of the program, with its type, bounds and step, to the
 * units 0 .. U - 1 that schedules divide. A unit is `grain` neighbouring iterations, so that all
 * borders lie on multiples of the grain; the last unit has what is left. Pure. */
#ifndef OMP_EXT_INSTANCE_SPACE_H
#define OMP_EXT_INSTANCE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

/* Unit u, 0 <= u < units, begins at the value start + u * stride, modulo 2^64. */
struct keel_space {
    uint64_t start;
    uint64_t end;        /* the bound as the program gave it */
    uint64_t stride;     /* from one unit to the next */
    uint64_t units;      /* ceil(iterations / grain) */
    uint64_t iterations; /* N */
    uint64_t grain;      /* iterations in a unit, >= 1 */
};

/* The space of a loop over long, and of one over unsigned long long that goes up or down. Their
 * grain is 1. */
struct keel_space keel_space_long(long start, long end, long incr);
struct keel_space keel_space_ull(bool up, unsigned long long start, unsigned long long end,
                                 unsigned long long incr);

/* The same loop in units of `grain` >= 1 iterations. `space` has a grain of 1. */
struct keel_space keel_space_in_units(const struct keel_space *space, uint64_t grain);

/* Where a value of the loop variable is written: a long or an unsigned long long of the program. */
typedef uint64_t __attribute__((may_alias)) keel_bound;

/* The value that a unit begins at. */
static inline uint64_t keel_space_value(const struct keel_space *space, uint64_t unit)
{
    return space->start + unit * space->stride;
}

/* The bound behind which `unit` begins. The last chunk ends at the program's own bound:
 * start + units * stride may lie beyond it, or even wrap. */
static inline uint64_t keel_space_bound(const struct keel_space *space, uint64_t unit)
{
    return unit == space->units ? space->end : keel_space_value(space, unit);
}

/* The chunk size of a clause as a grain. What is no size, as the program's error, is none. */
static inline uint64_t keel_space_grain(long chunk)
{
    return chunk > 0 ? (uint64_t)chunk : 1;
}

static inline uint64_t keel_space_grain_ull(unsigned long long chunk)
{
    return chunk > 0 ? chunk : 1;
}

#endif
