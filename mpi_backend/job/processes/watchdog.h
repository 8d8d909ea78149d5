/* A thread that says to other machines that this process lives, and that ends it where nobody else
 * may do so, as other ranks are on other machines, or have ended, or compute for long; or that
 * leaves the others.
 *
 *   thread, twice a second or more often
 *       -> KEEL_MPI_WATCH: a beat to those that watch it (lines.h)
 *   KEEL_MPI_ON_LATE=end:
 *       -> is the process starved (starving.h)? -> message, SIGKILL
 *       -> sets the timer anew -> not done for 1.5 deadlines: SIGKILL, by the kernel
 *   KEEL_MPI_ON_LATE=leave:
 *       -> is the process starved? -> message, others go on without it (fence.h)
 *       -> left out for the deadline, and not about to come back, where the launcher lets the job
 *          go on without it -> message, SIGKILL: it may be in a call of MPI that never ends
 *
 * The kernel delivers SIGKILL to a process that is stopped, too. There is no timer while a debugger
 * is there, and silence is no stop; one that comes later, and holds the process at once, has the
 * deadline to let it go. */
#ifndef MPI_BACKEND_JOB_PROCESSES_WATCHDOG_H
#define MPI_BACKEND_JOB_PROCESSES_WATCHDOG_H

#include <stdbool.h>

/* From now on, if one of these is so, unless the thread runs already. Whether it does. Any
 * thread. */
bool keel_mpi_watchdog_start(void);

/* The process has been left out and waits to be let in again, or does so no more. Any thread. */
void keel_mpi_watchdog_returns(bool returns);

/* It does nothing any more, which other machines are told. Any thread. */
void keel_mpi_watchdog_end(void);

#endif
