/* Copies of rows, so that they survive the ranks that have them.
 *
 *   keel_mpi_rows_balance() -> is a copy due? -> [copies] -> snapshot.c
 *        -> generations.h, as for objects ~~> its holder
 *   a rank ends -> recover.c -> pieces */
#ifndef MPI_BACKEND_ROWS_COPIES_COPIES_H
#define MPI_BACKEND_ROWS_COPIES_COPIES_H

#include "mpi_backend/rows/copies/generations.h"
#include "mpi_backend/rows/rows_state.h"

/* Copies of these rows from now on, where KEEL_MPI_COPIES asks for them and there are other ranks.
 * False: no memory. Local. */
bool keel_mpi_rows_copies_begin(struct keel_mpi_rows *rows);

/* There are copies, or none, from now on: sets at which balance call the next one is due. */
void keel_mpi_rows_copies_due(struct keel_mpi_rows *rows);

/* Takes a copy at this balance call: KEEL_MPI_OK, or why there is none, on all ranks. Collective.
 * */
int keel_mpi_rows_copies_take(struct keel_mpi_rows *rows);

/* --- snapshots ---
 *
 * The rows of a rank in one piece of memory, as they were when it was made: weights, arrays, items.
 *
 *   own rows -> [snapshot] ~~> the rank that holds the copy -> rows again
 *
 * Rows lie there in their order. It begins with what it has (struct keel_mpi_snapshot), and can be
 * sent as it is to ranks that have the same arrays and items. No MPI. */

/* Weights of all rows follow, their parts of each array, the sizes of their items in words of 64
 * bits, and these. */
struct keel_mpi_snapshot {
    uint64_t arrays; /* those that were added first; those added since are not in it */
    uint64_t kinds;  /* of items, likewise */
};

/* Bytes that own rows would take now. Asks items for their sizes. 0: more than memory can hold. */
size_t keel_mpi_snapshot_bytes(const struct keel_mpi_rows *rows);

/* Makes it, in that many bytes at `data`: KEEL_MPI_OK; KEEL_MPI_CALLBACK: a function of the program
 * failed, which is said, and it is none. */
int keel_mpi_snapshot_make(const struct keel_mpi_rows *rows, void *data, size_t bytes);

/* It becomes the rows that `rank` has by that placement: weights and arrays, whose memory is there.
 */
void keel_mpi_snapshot_give_arrays(const struct keel_mpi_rows *rows, const void *data,
                                   const struct keel_mpi_placement *placement, uint32_t rank);

/* The same with items. KEEL_MPI_CALLBACK: unpack() failed, which is said, and what had been
 * unpacked of this snapshot is dropped again. */
int keel_mpi_snapshot_give_items(const struct keel_mpi_rows *rows, const void *data,
                                 const struct keel_mpi_placement *placement, uint32_t rank);

/* Drops the items, of the first `kinds` kinds, of the rows below `end` that `rank` has by that
 * placement. */
void keel_mpi_snapshot_drop_items(const struct keel_mpi_rows *rows, uint64_t kinds,
                                  const struct keel_mpi_placement *placement, uint32_t rank,
                                  uint64_t end);

#endif
