/* Which rank gets which rows from whom when a distribution comes back over fewer ranks.
 *
 *   the placement of a copy, who has ended -> [pieces] -> pieces of rows -> recover.c: rows move
 *
 * Pure: no MPI. All survivors come to the same. */
#ifndef MPI_BACKEND_ROWS_COPIES_PIECES_H
#define MPI_BACKEND_ROWS_COPIES_PIECES_H

#include "mpi_backend/rows/copies/whole_copies.h"
#include "mpi_backend/rows/placement.h"

/* How the rows of an epoch are placed on survivors. Survivors keep theirs. */
struct keel_mpi_recovery {
    const struct keel_mpi_placement *before;
    const uint32_t *survivor; /* of each rank before: its number now, or KEEL_MPI_NO_SURVIVOR; in
                                 the same order */
    const uint32_t *provider; /* of each rank before that had rows: which survivor has them */
    uint32_t survivors;       /* >= 1 */
    bool adjacent; /* rows of ranks that have ended go to the survivors next to them, one half to
                      each; else in equal parts to all */
};

/* Room for so many pieces will do. */
static inline size_t keel_mpi_recovery_room(const struct keel_mpi_recovery *recovery)
{
    return 2 * recovery->before->count + recovery->survivors;
}

/* Lists all rows, in their order, by the survivor that has them and the one that gets them, who may
 * be the same. Returns how many pieces there are. */
size_t keel_mpi_recovery_pieces(const struct keel_mpi_recovery *recovery,
                                struct keel_mpi_transfer *piece);

/* The placement in which survivors have the rows that they give. False: no memory, and *placement
 * is empty. */
bool keel_mpi_recovery_placement(const struct keel_mpi_recovery *recovery,
                                 const struct keel_mpi_transfer *piece, size_t pieces,
                                 struct keel_mpi_placement *placement);

#endif
