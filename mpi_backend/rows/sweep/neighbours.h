/* Which rows a sweep brings from which rank to which. */
#ifndef MPI_BACKEND_ROWS_SWEEP_NEIGHBOURS_H
#define MPI_BACKEND_ROWS_SWEEP_NEIGHBOURS_H

#include "mpi_backend/rows/sweep/state.h"

/* Fills in the ranks before and behind this one, and the rows of borders and of old rows, from the
 * direction and the own rows of pipeline->sweep. */
void keel_mpi_neighbours_find(struct keel_mpi_pipeline *pipeline);

/* Elements [from, to) of the sweep's order, of the rows of a part. */
struct keel_mpi_patch keel_mpi_neighbours_part(const struct keel_mpi_pipeline *pipeline,
                                               struct keel_mpi_patch part, uint64_t from,
                                               uint64_t to);

/* How many ranks have rows. O(ranks). */
uint32_t keel_mpi_neighbours_ranks(const struct keel_mpi_pipeline *pipeline);

#endif
