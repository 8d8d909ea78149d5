/* Claims from blocks: what the progress engine and workers call beside keel_mpi_claim_by_blocks
 * (claim_method.h). */
#ifndef MPI_BACKEND_LOOP_CLAIM_BLOCKS_H
#define MPI_BACKEND_LOOP_CLAIM_BLOCKS_H

#include "mpi_backend/loop/state/loop.h"

/* Answers a REQUEST or a QUERY of another node by what this node's window has. False: the window is
 * not open for that loop yet. Under the channel lock. */
bool keel_mpi_blocks_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);

/* The rank's leader has executed the last iteration and may execute no other. If the rank has no
 * other thread, what other nodes send it late goes on to another node: ranks of its own may think
 * that they need not help it. By threads that may call MPI. */
void keel_mpi_blocks_forward(struct keel_mpi_loop *loop);

#endif
