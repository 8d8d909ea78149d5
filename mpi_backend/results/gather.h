/* Brings together what a loop has computed, from wherever it was computed.
 *
 *   ranges of each rank -> one datatype per rank -> one message per pair, from buffer to buffer */
#ifndef MPI_BACKEND_RESULTS_GATHER_H
#define MPI_BACKEND_RESULTS_GATHER_H

#include <limits.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/results/range_list.h"

#define KEEL_MPI_GATHER_ALL INT_MIN /* in place of a root: the result goes to all ranks */

/* Gathers the loop of `iterations` that the ranks of `peers` have executed, `own` (merged) on the
 * calling one: see keel_mpi_gather(). Their communicator is for no other messages meanwhile. Checks
 * arguments, and that each iteration has been executed once, before anything is moved. Returns a
 * KEEL_MPI_... code, the same on all ranks unless MPI fails or they come too late; an error has
 * written one message. Collective. */
int keel_mpi_gather_ranges(struct keel_mpi_peers *peers, uint64_t iterations,
                           const struct keel_mpi_range_list *own, void *buffer, size_t count,
                           MPI_Datatype type, int root);

/* What all ranks have executed, on all of them: `own` of each, one behind the other. False, on all
 * ranks alike: there is no memory, or MPI has failed; *all is as before. Collective. */
bool keel_mpi_gather_lists(struct keel_mpi_peers *peers, const struct keel_mpi_range_list *own,
                           struct keel_mpi_range_list *all);

#endif
