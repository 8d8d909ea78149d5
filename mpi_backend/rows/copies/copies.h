/* Copies of rows on other ranks, so that rows survive the end of their ranks.
 *
 *   keel_mpi_rows_balance() -> is a copy due? -> [copies] -> snapshot.c
 *        -> generations.h, as for objects ~~> its holder
 *   a rank ends -> recover.c -> pieces */
#ifndef MPI_BACKEND_ROWS_COPIES_COPIES_H
#define MPI_BACKEND_ROWS_COPIES_COPIES_H

#include "mpi_backend/rows/copies/generations.h"
#include "mpi_backend/rows/rows_state.h"

/* Copies of these rows are taken from now on, if KEEL_MPI_COPIES asks for them and there are other
 * ranks. False: no memory. Local. */
bool keel_mpi_rows_copies_begin(struct keel_mpi_rows *rows);

/* Sets rows->copy_due, the balance call at which the next copy is due, by rows->copies. */
void keel_mpi_rows_copies_due(struct keel_mpi_rows *rows);

/* Takes a copy now. Returns KEEL_MPI_OK, or why there is none, on all ranks. Collective. */
int keel_mpi_rows_copies_take(struct keel_mpi_rows *rows);

/* --- snapshots ---
 *
 * The rows of a rank in one piece of memory, at the time it was made: weights, arrays, items.
 *
 *   own rows -> [snapshot] ~~> the rank that holds the copy -> rows again
 *
 * Rows are in order. It begins with a struct keel_mpi_snapshot, and can be sent as it is to ranks
 * that have the same arrays and items. No MPI. */

/* Weights of all rows follow, their parts of each array, the sizes of their items in words of 64
 * bits, and the items. */
struct keel_mpi_snapshot {
    uint64_t arrays; /* the first arrays; those added later are not in it */
    uint64_t kinds;  /* kinds of items: the first ones */
};

/* Returns the bytes that own rows would take now; asks for item sizes. 0: more than memory can
 * hold. */
size_t keel_mpi_snapshot_bytes(const struct keel_mpi_rows *rows);

/* Makes it in `bytes` bytes at `data`. Returns KEEL_MPI_OK; KEEL_MPI_CALLBACK, after a message, if
 * a function of the program failed: then it is not valid. */
int keel_mpi_snapshot_make(const struct keel_mpi_rows *rows, void *data, size_t bytes);

/* Copies weights and arrays to the rows of `rank` by that placement, which have memory. */
void keel_mpi_snapshot_give_arrays(const struct keel_mpi_rows *rows, const void *data,
                                   const struct keel_mpi_placement *placement, uint32_t rank);

/* The same with items. Returns KEEL_MPI_CALLBACK, after a message, if unpack() failed: then
 * unpacked items of this snapshot were dropped again. */
int keel_mpi_snapshot_give_items(const struct keel_mpi_rows *rows, const void *data,
                                 const struct keel_mpi_placement *placement, uint32_t rank);

/* Drops the items, of the first `kinds` kinds, of the rows of `rank` below `end` by that
 * placement. */
void keel_mpi_snapshot_drop_items(const struct keel_mpi_rows *rows, uint64_t kinds,
                                  const struct keel_mpi_placement *placement, uint32_t rank,
                                  uint64_t end);

#endif
