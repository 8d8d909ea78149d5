/* The progress engine of shared loops: receives and answers messages, tests collective operations,
 * requests iterations ahead of need, and sends counts.
 *
 *   worker.c, end.c, a thread for long iterations, keel_mpi_poll() -> [progress.c]
 *        -> loop_messages.c, loop_agreement.c, claim_method, progress.c
 *
 * Nothing here waits. */
#ifndef MPI_BACKEND_LOOP_PROGRESS_ENGINE_H
#define MPI_BACKEND_LOOP_PROGRESS_ENGINE_H

#include "mpi_backend/loop/state/loop_state.h"

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

/* --- progress.c: a thread that runs it for ranks whose iterations are long ---
 *
 * Only where KEEL_MPI_PROGRESS asks for it and MPI was initialised with MPI_THREAD_MULTIPLE, as it
 * calls MPI beside the program. It runs the engine only when no worker has for a while. */

/* The thread serves that loop from now on, until keel_mpi_progress_thread_release(). By the
 * leader. */
void keel_mpi_progress_thread_serve(struct keel_mpi_loop *loop);

/* The loop does not need the thread any more. Takes the channel lock. */
void keel_mpi_progress_thread_release(struct keel_mpi_loop *loop);

/* --- progress.c: how the nodes of a job find that a shared loop has ended ---
 *
 *   COUNT messages: iterations begun, up a binary tree of nodes -> node 0: sum == N
 *     -> END messages, down the tree -> the nodes' windows
 *
 * The first rank of each node counts for it. Counting iterations that have been begun is enough:
 * whoever has begun one executes it. A cancelled loop goes the same way. Called under the channel
 * lock, by threads that may call MPI. */

/* On the first rank of a node: sends the node above what has been begun here and below and not been
 * counted yet, when there is nothing left to begin here; node 0 compares it with N and ends the
 * loop. Other ranks: nothing. The loop is open. */
void keel_mpi_termination_count(struct keel_mpi_loop *loop);

/* A COUNT of a node below, or the END from the node above, has come. */
void keel_mpi_termination_take_count(struct keel_mpi_loop *loop,
                                     const struct keel_mpi_message *message);
void keel_mpi_termination_take_end(struct keel_mpi_loop *loop,
                                   const struct keel_mpi_message *message);

#endif
