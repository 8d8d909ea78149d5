/* How long this rank has computed on rows, in the present span of time. */
#ifndef MPI_BACKEND_ROWS_WORK_H
#define MPI_BACKEND_ROWS_WORK_H

#include "mpi_backend/rows/state.h"

/* A new span of time begins. */
void keel_mpi_work_begin_span(struct keel_mpi_rows *rows);

/* Time of computing in it so far, s: marked work if any was marked in it, else what libkeel.so has
 * seen of scheduled loops. */
double keel_mpi_work_busy(const struct keel_mpi_rows *rows);

#endif
