/* Which rows a rank has to get from others, and to send them, so that it has those around its own.
 *
 *   placement -> [plan] -> memory to hold (store.h), messages (halo.c)
 *
 * Pure: no MPI, no clock. Both sides of a message plan it on their own, from the same placement. */
#ifndef MPI_BACKEND_ROWS_HALO_HALO_PLAN_H
#define MPI_BACKEND_ROWS_HALO_HALO_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/results/range_list.h"
#include "mpi_backend/rows/placement.h"

/* Rows [first, last) of one message. */
struct keel_mpi_halo_piece {
    uint64_t first, last;
    uint32_t rank; /* that they come from, or go to */
};

/* By rank, then by row. */
struct keel_mpi_halo_pieces {
    struct keel_mpi_halo_piece *piece;
    size_t count, room;
};

/* All zero: of a rank without rows. */
struct keel_mpi_halo_plan {
    struct keel_mpi_range_list own;
    struct keel_mpi_range_list here; /* own rows, and those around them: increasing and apart */
    struct keel_mpi_halo_pieces receives, sends;
};

/* The plan of `rank` for `halo` rows on either side of each own one, in pieces as long as can be,
 * but of at most `most` >= 1 rows: what a receives from b, piece by piece, is what b sends to a.
 * False: no memory, and *plan is empty. O(runs + pieces * log runs). */
bool keel_mpi_halo_plan_make(struct keel_mpi_halo_plan *plan,
                             const struct keel_mpi_placement *placement, uint32_t rank,
                             uint64_t halo, uint64_t most);

void keel_mpi_halo_plan_free(struct keel_mpi_halo_plan *plan);

#endif
