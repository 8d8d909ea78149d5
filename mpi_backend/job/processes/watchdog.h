/* With KEEL_MPI_ON_LATE=end, a timer that ends this process when it is stopped for long, also where
 * no other rank may do so, as those are on other machines, or have ended.
 *
 *   thread, twice a second or more often -> sets the timer anew
 *        -> not done for 1.5 deadlines: SIGKILL, by the kernel
 *
 * The kernel delivers SIGKILL to a process that is stopped, too. There is no timer while a debugger
 * is there; one that comes later, and holds the process at once, has the deadline to let it go. */
#ifndef MPI_BACKEND_JOB_PROCESSES_WATCHDOG_H
#define MPI_BACKEND_JOB_PROCESSES_WATCHDOG_H

/* From now on, with KEEL_MPI_ON_LATE=end, unless the thread runs already. Any thread. */
void keel_mpi_watchdog_start(void);

/* It does nothing any more. Any thread. */
void keel_mpi_watchdog_end(void);

#endif
