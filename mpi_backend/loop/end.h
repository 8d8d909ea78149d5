/* The end of one shared loop on a rank: what it tells of itself is summed up along a tree, and the
 * summary of all ranks comes.
 *
 *   workers are done -> leave, or cancel -> own figures -> await -> record, loop->code
 *
 * By threads that may call MPI, without the channel lock. */
#ifndef MPI_BACKEND_LOOP_END_H
#define MPI_BACKEND_LOOP_END_H

#include "mpi_backend/loop/state/loop.h"

/* The rank's part is over: sends its figures, and leaves the node's window. Once; no
 * worker is in the loop. */
void keel_mpi_end_leave(struct keel_mpi_loop *loop);

/* The leader finds the loop cancelled: tells the other ranks, and waits for nobody. Other
 * threads of the rank may be in it until their region ends; what they have executed is collected
 * when somebody asks for results. */
void keel_mpi_end_cancel(struct keel_mpi_loop *loop);

/* Waits for the summary of all ranks, and learns from them. Leaves a cancelled loop first. */
void keel_mpi_end_await(struct keel_mpi_loop *loop);

#endif
