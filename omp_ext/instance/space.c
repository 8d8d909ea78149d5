/* Iteration spaces. */
#include "omp_ext/instance/space.h"

/* 1 + floor((range - 1) / step) never overflows, unlike the usual ceil. */
static uint64_t count_iterations(uint64_t range, uint64_t step)
{
    if (range == 0) {
        return 0;
    }
    return step == 1 ? range : 1 + (range - 1) / step;
}

static struct keel_space space_of(uint64_t start, uint64_t end, uint64_t stride,
                                  uint64_t iterations)
{
    return (struct keel_space){.start = start,
                               .end = end,
                               .stride = stride,
                               .units = iterations,
                               .iterations = iterations,
                               .grain = 1};
}

struct keel_space keel_space_long(long start, long end, long incr)
{
    uint64_t low = (uint64_t)(incr > 0 ? start : end);
    uint64_t high = (uint64_t)(incr > 0 ? end : start);
    uint64_t step = incr > 0 ? (uint64_t)incr : -(uint64_t)incr;
    bool empty = incr > 0 ? start >= end : start <= end;

    return space_of((uint64_t)start, (uint64_t)end, (uint64_t)incr,
                    empty ? 0 : count_iterations(high - low, step));
}

struct keel_space keel_space_ull(bool up, unsigned long long start, unsigned long long end,
                                 unsigned long long incr)
{
    unsigned long long range = up ? end - start : start - end;
    bool empty = up ? start >= end : start <= end;

    return space_of(start, end, incr, empty ? 0 : count_iterations(range, up ? incr : -incr));
}

/* A stride that wraps belongs to a loop of one unit, which needs none. */
struct keel_space keel_space_in_units(const struct keel_space *space, uint64_t grain)
{
    struct keel_space units = *space;

    units.grain = grain;
    units.stride = space->stride * grain;
    units.units =
        space->iterations / grain + (space->iterations % grain != 0); /* ceil, without overflow */
    return units;
}
