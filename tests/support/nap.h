/* Threads that do nothing for a while. */
#ifndef TESTS_SUPPORT_NAP_H
#define TESTS_SUPPORT_NAP_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

static inline void nap(uint64_t us)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)(us / 1000000),
                                 .tv_nsec = (long)(us % 1000000) * 1000},
              NULL);
}

#endif
