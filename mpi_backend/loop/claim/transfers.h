/* Iterations that go from node to node, which is asked for by messages.
 *
 *   idle node -> keel_mpi_transfers_request() ~REQUEST~> keel_mpi_transfers_serve()
 *             <- keel_mpi_transfers_take()   <~TRANSFER~ cuts off the end of what nobody has begun
 *
 * Called under the channel lock. */
#ifndef MPI_BACKEND_LOOP_CLAIM_TRANSFERS_H
#define MPI_BACKEND_LOOP_CLAIM_TRANSFERS_H

#include "mpi_backend/loop/state/loop.h"

/* Asks another node for iterations where this one will be idle before an answer could come;
 * loop->victims says whom. One rank of the node does so. */
void keel_mpi_transfers_request(struct keel_mpi_loop *loop);

/* Answers a REQUEST or a QUERY of another node by what this node's window has. False: the window is
 * not open for that loop yet. */
bool keel_mpi_transfers_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);

/* Iterations have come to the rank: nodes whose requests were kept get their part. */
void keel_mpi_transfers_serve_kept(struct keel_mpi_job *job, uint64_t number);

/* Takes in a TRANSFER. */
void keel_mpi_transfers_take(struct keel_mpi_loop *loop, const struct keel_mpi_message *message);

/* The rank's leader has executed the last iteration and may execute no other. What other nodes send
 * it late and has no room in its ranges goes on to another node; if the rank has no other thread,
 * so does all that it holds: ranks of its own may think that they need not help it. By threads that
 * may call MPI; takes the lock itself. */
void keel_mpi_transfers_forward(struct keel_mpi_loop *loop);

#endif
