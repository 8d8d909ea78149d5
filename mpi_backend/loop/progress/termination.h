/* How the nodes of a job find that a shared loop has ended.
 *
 *   COUNT messages: iterations begun, up a binary tree of nodes -> node 0: sum == N
 *     -> END messages, down the tree -> the nodes' windows
 *
 * The first rank of each node counts for it. Counting iterations that have been begun is enough:
 * whoever has begun one executes it. A cancelled loop goes the same way. Called under the channel
 * lock, by threads that may call MPI. */
#ifndef MPI_BACKEND_LOOP_PROGRESS_TERMINATION_H
#define MPI_BACKEND_LOOP_PROGRESS_TERMINATION_H

#include "mpi_backend/loop/state/loop.h"

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
