/* The rows of a rank in one piece of memory, as they were when it was made: weights, arrays, items.
 *
 *   own rows -> [snapshot] ~~> the rank that holds the copy -> a part of it -> rows again
 *
 * Rows are told by their place among those that are in it, from 0. It begins with what it has
 * (struct keel_mpi_snapshot), and can be sent as it is to ranks that have the same arrays and
 * items. No MPI. */
#ifndef MPI_BACKEND_ROWS_COPIES_SNAPSHOT_H
#define MPI_BACKEND_ROWS_COPIES_SNAPSHOT_H

#include "mpi_backend/rows/rows_state.h"

/* All words of 64 bits. Weights of all rows follow, their parts of each array, the sizes of their
 * items, and these. */
struct keel_mpi_snapshot {
    uint64_t bytes; /* of all of it, this included */
    uint64_t rows;
    uint64_t arrays; /* those that were added first; those added since are not in it */
    uint64_t kinds;  /* of items, likewise */
};

/* Bytes that own rows would take now. Asks items for their sizes. 0: more than memory can hold. */
size_t keel_mpi_snapshot_bytes(const struct keel_mpi_rows *rows);

/* Makes it, in that many bytes at `data`: KEEL_MPI_OK; KEEL_MPI_CALLBACK: a function of the program
 * failed, which is said, and it is none. */
int keel_mpi_snapshot_make(const struct keel_mpi_rows *rows, void *data, size_t bytes);

/* Bytes of a snapshot of `count` of its rows from `place` on. */
size_t keel_mpi_snapshot_part_bytes(const struct keel_mpi_rows *rows, const void *data,
                                    uint64_t place, uint64_t count);

/* Makes that in so many bytes at `part`. */
void keel_mpi_snapshot_part(const struct keel_mpi_rows *rows, const void *data, uint64_t place,
                            uint64_t count, void *part);

/* Whether memory of `bytes` holds a snapshot of `count` rows of these arrays and items. */
bool keel_mpi_snapshot_is_right(const struct keel_mpi_rows *rows, const void *data, size_t bytes,
                                uint64_t count);

/* Its rows become rows from `first` on: weights and arrays, whose memory is there. */
void keel_mpi_snapshot_give_arrays(const struct keel_mpi_rows *rows, const void *data,
                                   uint64_t first);

/* The same with items. KEEL_MPI_CALLBACK: unpack() failed, which is said, and what had been
 * unpacked of this snapshot is dropped again. */
int keel_mpi_snapshot_give_items(const struct keel_mpi_rows *rows, const void *data,
                                 uint64_t first);

/* Drops the items of rows [first, last), of the first `kinds` kinds. */
void keel_mpi_snapshot_drop_items(const struct keel_mpi_rows *rows, uint64_t kinds, uint64_t first,
                                  uint64_t last);

#endif
