/* The clock of shared loops. Not MPI's, as threads measure that may not call MPI; simulators of MPI
 * stand behind this one, too. */
#ifndef MPI_BACKEND_PROCESS_MPI_CLOCK_H
#define MPI_BACKEND_PROCESS_MPI_CLOCK_H

#include <time.h>

/* Wall time, ns. Any thread. */
static inline double keel_mpi_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The same in s. */
static inline double keel_mpi_clock_s(void)
{
    return keel_mpi_clock_ns() / 1e9;
}

#endif
