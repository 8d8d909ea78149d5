/* The figures of this process for its report: where it stands in its job, how long it waited, its
 * shared loops, its rows and its objects. Plain data, which stays when MPI has been finalised.
 *
 *   loop_places.h, reported.h, waits.h -> [process] -> libkeel.so, or the report
 *
 * Any thread. */
#ifndef MPI_BACKEND_REPORT_PROCESS_H
#define MPI_BACKEND_REPORT_PROCESS_H

/* Keel uses a communicator, and a report is wanted: notes once where the process stands among all
 * of its job, and lets libkeel.so know of this library. MPI may be called. */
void keel_mpi_process_begin(void);

#endif
