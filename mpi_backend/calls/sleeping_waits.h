/* Waits of MPI that sleep: KEEL_MPI_WAIT=sleep.
 *
 *   a call that waits -> MPI looks whether something came -> nothing -> [idle] -> looks again
 *
 * An MPI waits by looking again and again, and calls a function of another library each time that
 * it has found nothing: Open MPI sched_yield(), where it is asked to yield, MPICH over UCX
 * ucp_worker_progress(). Wrappers of those two sleep. So all that waits in MPI sleeps, by MPI's own
 * algorithms and in their own order, whatever the level of threads. */
#ifndef MPI_BACKEND_CALLS_SLEEPING_WAITS_H
#define MPI_BACKEND_CALLS_SLEEPING_WAITS_H

#include <stdbool.h>

/* From now on waits sleep. Before MPI is initialised. */
void keel_mpi_waits_sleep(void);

/* What KEEL_MPI_WAIT says: `sleep` is keel_mpi_waits_sleep(). Once, as the process begins. */
void keel_mpi_waits_read(void);

/* A call of the program begins: waits, or asks whether something has come and goes on. And ends.
 * Any thread. */
void keel_mpi_sleeping_begin(bool waits);
void keel_mpi_sleeping_end(void);

#endif
