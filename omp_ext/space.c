/* Iteration spaces. */
#include "omp_ext/space.h"

/* 1 + floor((range - 1) / step) never overflows, unlike the usual ceil. */
static uint64_t count_iterations(uint64_t range, uint64_t step)
{
    if (range == 0) {
        return 0;
    }
    return step == 1 ? range : 1 + (range - 1) / step;
}

struct keel_space keel_space_long(long start, long end, long incr)
{
    uint64_t low = (uint64_t)(incr > 0 ? start : end);
    uint64_t high = (uint64_t)(incr > 0 ? end : start);
    uint64_t step = incr > 0 ? (uint64_t)incr : -(uint64_t)incr;
    bool empty = incr > 0 ? start >= end : start <= end;

    return (struct keel_space){
        .start = (uint64_t)start,
        .stride = (uint64_t)incr,
        .end = (uint64_t)end,
        .iterations = empty ? 0 : count_iterations(high - low, step),
    };
}

struct keel_space keel_space_ull(bool up, unsigned long long start, unsigned long long end,
                                 unsigned long long incr)
{
    unsigned long long range = up ? end - start : start - end;
    bool empty = up ? start >= end : start <= end;

    return (struct keel_space){
        .start = start,
        .stride = incr,
        .end = end,
        .iterations = empty ? 0 : count_iterations(range, up ? incr : -incr),
    };
}
