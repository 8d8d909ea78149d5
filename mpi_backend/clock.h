/* The clock of shared loops. MPI's own, as a simulator of MPI gives its simulated time there. */
#ifndef MPI_BACKEND_CLOCK_H
#define MPI_BACKEND_CLOCK_H

#include <mpi.h>

/* Wall time, ns. Any thread. */
static inline double keel_mpi_clock_ns(void)
{
    return MPI_Wtime() * 1e9;
}

#endif
