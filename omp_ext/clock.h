/* The clock that loops are measured with. */
#ifndef OMP_EXT_CLOCK_H
#define OMP_EXT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment in the past, never going back. */
static inline uint64_t keel_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
