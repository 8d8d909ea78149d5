/* Old rows: those behind own ones in the order of a sweep, as they were before it.
 *
 *   the rank behind ~~> pieces of old rows -> blocks that read them (pipeline.c) */
#ifndef MPI_BACKEND_ROWS_SWEEP_OLD_ROWS_H
#define MPI_BACKEND_ROWS_SWEEP_OLD_ROWS_H

#include "mpi_backend/rows/sweep/state.h"

/* Starts to receive them from behind, and to send own ones to the rank before, in two pieces: from
 * element `from` on, and from `second` on. */
void keel_mpi_old_rows_exchange(struct keel_mpi_pipeline *pipeline, uint64_t from, uint64_t second);

/* The same one by one, each as one piece. */
void keel_mpi_old_rows_receive(struct keel_mpi_pipeline *pipeline, uint64_t from);
void keel_mpi_old_rows_send(struct keel_mpi_pipeline *pipeline, uint64_t from);

/* Waits until those have come that elements before `to` read, and those have gone that these
 * overwrite: the rank before has needed them for the same elements. True: there was something to
 * wait for. */
bool keel_mpi_old_rows_await(struct keel_mpi_pipeline *pipeline, uint64_t to);

/* Waits until those have gone alone. */
void keel_mpi_old_rows_await_gone(struct keel_mpi_pipeline *pipeline, uint64_t to);

#endif
