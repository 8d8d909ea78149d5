/* A thread that says to other machines that this process lives, and that ends it where nobody else
 * may do so, as other ranks are on other machines, or have ended, or compute for long.
 *
 *   thread, twice a second or more often
 *       -> KEEL_MPI_WATCH: a beat to those that watch it (lines.h)
 *   KEEL_MPI_ON_LATE=end:
 *       -> is the process starved (starving.h)? -> message, SIGKILL
 *       -> sets the timer anew -> not done for 1.5 deadlines: SIGKILL, by the kernel
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

/* It does nothing any more, which other machines are told. Any thread. */
void keel_mpi_watchdog_end(void);

#endif
