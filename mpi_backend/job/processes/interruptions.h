/* Interruptions of objects: times in which the system gave the processor to other programs.
 *
 *   before an object: mark -> the object is computed -> it took long: why? (pace.h)
 *
 * Of the calling thread; any thread. */
#ifndef MPI_BACKEND_JOB_PROCESSES_INTERRUPTIONS_H
#define MPI_BACKEND_JOB_PROCESSES_INTERRUPTIONS_H

/* Before an object, at `now_s`: notes the system's counts, if that was not done lately. */
void keel_mpi_interruptions_mark(double now_s);

/* What of the object's took_s, which end now, the processor was somebody else's; s. Costs a look at
 * the system's counts where the object may have been interrupted, else nothing. */
double keel_mpi_interruptions_of(double took_s, double now_s);

#endif
