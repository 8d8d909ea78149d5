/* How long this process has waited for other ranks, where a report wants to know.
 *
 *   peers.c, waits of shared loops -> [waits] -> report/process.c
 *
 * Any thread. */
#ifndef MPI_BACKEND_JOB_WAITS_H
#define MPI_BACKEND_JOB_WAITS_H

/* Adds the time from began_ns, of the clock of clock.h, to now. Returns it, in ns. By one thread of
 * the process at a time, as a rule: what several wait at once counts for each. */
double keel_mpi_waits_add(double began_ns);

/* Up to now, in s. */
double keel_mpi_waits_s(void);

#endif
