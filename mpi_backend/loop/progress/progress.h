/* The progress engine of shared loops: receives and answers messages, tests collective operations,
 * requests iterations ahead of need, and sends counts.
 *
 *   worker.c, end.c, progress_thread.c, keel_mpi_poll() -> [progress] -> messages.c, agreement.c,
 *                                                                      claim_method, termination.c
 *
 * Nothing here waits. */
#ifndef MPI_BACKEND_LOOP_PROGRESS_PROGRESS_H
#define MPI_BACKEND_LOOP_PROGRESS_PROGRESS_H

#include "mpi_backend/loop/state/loop.h"

/* Runs the engine, for a worker between two chunks, if it has not run for a while; does nothing
 * where another thread holds the channel lock. By workers that may call MPI. */
void keel_mpi_progress_if_due(struct keel_mpi_worker *worker);

/* Runs the engine at once, unless another thread holds the channel lock. worker: one that wants
 * iterations, for which requests are sent; NULL: none does. True: something has come, so that it is
 * worth to look again without a pause. By threads that may call MPI. */
bool keel_mpi_progress_now(struct keel_mpi_loop *loop, struct keel_mpi_worker *worker);

/* Runs the engine; the caller holds the channel lock, and no worker wants iterations. By threads
 * that may call MPI. */
void keel_mpi_progress_locked(struct keel_mpi_loop *loop);

/* keel_mpi_poll(): runs the engine from within a chunk, if it has not run for a while, no other
 * thread holds the channel lock, and the calling thread may call MPI. Any thread. */
void keel_mpi_progress_poll(struct keel_mpi_loop *loop);

#endif
