/* Steals between the ranks of a node: an idle one cuts off the end of what another has on the
 * window, without a message. */
#ifndef MPI_BACKEND_LOOP_CLAIM_NODE_STEAL_H
#define MPI_BACKEND_LOOP_CLAIM_NODE_STEAL_H

#include "mpi_backend/loop/state/loop.h"

/* Units [*first, *last) of the rank of the node that would be busy longest; they belong to the
 * worker. False: no other rank has any. */
bool keel_mpi_node_steal(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);

#endif
