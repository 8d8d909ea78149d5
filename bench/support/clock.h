/* The clocks of the programs that measure. */
#ifndef BENCH_SUPPORT_CLOCK_H
#define BENCH_SUPPORT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* What a clock of clock_gettime() shows. */
static inline int64_t clock_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* For differences; processes of one machine read the same clock. Exact below 2^53 ns, 104 days
 * after the machine has started. */
static inline double now_ns(void)
{
    return (double)clock_ns(CLOCK_MONOTONIC);
}

#endif
