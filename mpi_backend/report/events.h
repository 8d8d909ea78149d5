/* Events of ranks in the trace that libkeel.so writes, where it is in the process and KEEL_TRACE
 * names a file for one.
 *
 *   waits.c, shared loops, rows -> [events] -> omp_ext/trace/trace_ranks.h
 *
 * Any thread. */
#ifndef MPI_BACKEND_REPORT_EVENTS_H
#define MPI_BACKEND_REPORT_EVENTS_H

#include "omp_ext/trace/trace_ranks.h"

/* Looks for libkeel.so, which a program may load late; a message tells where KEEL_TRACE asks for it
 * in vain. Where a communicator is first used. */
void keel_mpi_events_begin(void);

/* Who takes events; NULL: nothing is traced. Cheap. */
const struct keel_trace_ranks *keel_mpi_events(void);

#endif
