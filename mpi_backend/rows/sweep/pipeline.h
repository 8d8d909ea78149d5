/* Pipelined sweeps: one sweep, block by block (public functions begin, next and end). */
#ifndef MPI_BACKEND_ROWS_SWEEP_PIPELINE_H
#define MPI_BACKEND_ROWS_SWEEP_PIPELINE_H

#include "mpi_backend/rows/sweep/state.h"

/* Whether there is a pipeline, which is said otherwise; function: of the program's call. */
bool keel_mpi_pipeline_exists(const struct keel_mpi_pipeline *pipeline, const char *function);

#endif
