/* The clock of a test: clock_gettime() shows what the test has set. Link it with
 * -Wl,--wrap=clock_gettime. */
#ifndef TESTS_MPI_BACKEND_ROWS_SET_CLOCK_H
#define TESTS_MPI_BACKEND_ROWS_SET_CLOCK_H

#include <time.h>

static double clock_s;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    now->tv_sec = (time_t)clock_s;
    now->tv_nsec = (long)((clock_s - (double)now->tv_sec) * 1e9 + 0.5);
    return 0;
}

#endif
