/* With KEEL_MPI_ON_LATE=end, a process ends itself where nobody else can end it.
 *
 *   thread, each second or more often -> is the process starved (starving.h)? -> message, SIGKILL
 *          \--> sets the kernel's timer anew -> not done for the deadline: SIGKILL, by the kernel
 *
 * The timer is for a process that is alone on its machine: it is stopped, or so is the thread, or
 * the machine. No other rank can tell, or can do anything about it. The kernel delivers SIGKILL to
 * a process that is stopped, too; also to one that a debugger holds. */
#ifndef MPI_BACKEND_JOB_PROCESSES_WATCHDOG_H
#define MPI_BACKEND_JOB_PROCESSES_WATCHDOG_H

#include <stdbool.h>

/* From now on, unless that is so already. limit_s: for how long the process may be stopped, or
 * starved. alone: there is the timer as well. Any thread. */
void keel_mpi_watchdog_start(double limit_s, bool alone);

/* It does nothing any more. Any thread. */
void keel_mpi_watchdog_end(void);

#endif
