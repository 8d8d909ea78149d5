/* Blocks by the rates of all ranks, at the end of a shared loop that learns them, once its summary
 * is there. No rank hears of more than what is added up:
 *
 *   summary of all ranks -> blocks stay: done
 *                        -> they change: sum of the weights of the ranks below, in ceil(log2 P)
 *                           messages of 8 bytes -> the rank's block -> those of the node's ranks
 *
 * Nothing here waits. Called under the channel lock, by threads that may call MPI. */
#ifndef MPI_BACKEND_LOOP_EXCHANGE_SHARES_H
#define MPI_BACKEND_LOOP_EXCHANGE_SHARES_H

#include "mpi_backend/loop/state/loop.h"

/* Goes on with it, and returns whether it is done. The summary has come. */
bool keel_mpi_shares_advance(struct keel_mpi_loop *loop);

/* What it waits for; MPI_REQUEST_NULL: nothing. */
MPI_Request *keel_mpi_shares_request(struct keel_mpi_loop *loop);

#endif
