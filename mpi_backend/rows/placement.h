/* Which rank owns which rows: runs of rows with one owner each, in the order of rows.
 *
 *   keel_mpi_rows_create() -> [placement] -> bounds, halos, messages -> moves -> [placement]
 *
 * Pure: no MPI, no clock. All ranks of a job keep the same one. */
#ifndef MPI_BACKEND_ROWS_PLACEMENT_H
#define MPI_BACKEND_ROWS_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/results/range_list.h"

/* Rows [first, first of the next run), or to the end; >= 1. */
struct keel_mpi_run {
    uint64_t first;
    uint32_t owner;
} __attribute__((packed, aligned(4))); /* 12 bytes: every rank keeps the runs of all */

/* count >= 1 unless there are no rows; neighbouring runs have different owners. */
struct keel_mpi_placement {
    uint64_t rows;
    uint32_t ranks;
    size_t count;
    struct keel_mpi_run *run;
    uint64_t *owned; /* rows of each rank */
};

/* Makes a block of shares[i] >= 0 rows for each rank i, in the order of ranks. False: no memory,
 * and *placement is empty. */
bool keel_mpi_placement_make(struct keel_mpi_placement *placement, uint32_t ranks,
                             const uint64_t *shares);

/* False: no memory, and *copy is empty. */
bool keel_mpi_placement_copy(struct keel_mpi_placement *copy,
                             const struct keel_mpi_placement *placement);

void keel_mpi_placement_free(struct keel_mpi_placement *placement);

/* Returns the row behind the last one of run i. O(1). */
static inline uint64_t keel_mpi_placement_end(const struct keel_mpi_placement *placement, size_t i)
{
    return i + 1 < placement->count ? placement->run[i + 1].first : placement->rows;
}

/* Returns the run that contains `row`, which is < rows. O(log runs). */
size_t keel_mpi_placement_find(const struct keel_mpi_placement *placement, uint64_t row);

/* Finds the first rows [first, last) of `rank` at or behind `from`, up to the end of their run.
 * False if there are none. O(runs). */
bool keel_mpi_placement_next(const struct keel_mpi_placement *placement, uint32_t rank,
                             uint64_t from, uint64_t *first, uint64_t *last);

/* Finds the rows of `rank` from its `place`-th one on (counted from 0 over all its runs), up to the
 * end of the run, but at most `most`. False if it has no such row. O(runs). */
bool keel_mpi_placement_at(const struct keel_mpi_placement *placement, uint32_t rank,
                           uint64_t place, uint64_t most, uint64_t *first, uint64_t *last);

/* Rows [first, last) move from one rank to another. */
struct keel_mpi_transfer {
    uint32_t from, to;
    uint64_t first, last;
};

/* Assigns the rows of all transfers to their receivers at once, whichever rank owned them.
 * Transfers have no rows in common; each may span several runs. False: no memory, and nothing has
 * changed. O(runs + transfers log transfers). */
bool keel_mpi_placement_assign(struct keel_mpi_placement *placement,
                               const struct keel_mpi_transfer *transfer, size_t transfers);

/* --- memory of rows ---
 *
 * The memory of one array of rows: addresses for all rows, memory for the rows that are here.
 *
 *   keel_mpi_rows_array() -> [store] -> rows that arrive get memory, that of others is released
 *
 * So a row has the same offset in the array on every rank, at any time. Nothing is shifted when
 * other rows move, and messages go from array to array. A page that holds a part of a row that is
 * here keeps its memory. Access to rows on other pages ends the process (SIGSEGV). No MPI. One
 * thread. */

struct keel_mpi_store {
    char *base;   /* row 0 */
    size_t bytes; /* of reserved addresses, for all rows, in whole pages, at least one */
    size_t row_bytes;
};

/* Reserves addresses for `rows` rows of `row_bytes` >= 1 each, without memory. False, and *store is
 * empty, if there are no such addresses or the bytes overflow a size_t. */
bool keel_mpi_store_open(struct keel_mpi_store *store, uint64_t rows, size_t row_bytes);

/* Makes rows [first, last) readable and writable. Bytes on new pages are 0. False: no memory; rows
 * that had memory keep it, and some of these may have got it. */
bool keel_mpi_store_commit(struct keel_mpi_store *store, uint64_t first, uint64_t last);

/* Releases the pages outside of `count` ranges of rows, which increase and are disjoint. */
void keel_mpi_store_trim(struct keel_mpi_store *store, const struct keel_mpi_range *range,
                         size_t count);

/* Closing an empty store has no effect. */
void keel_mpi_store_close(struct keel_mpi_store *store);

/* --- halos ---
 *
 * Which rows a rank receives from others, and sends to them, so that each has its halo.
 *
 *   placement -> [plan] -> memory to hold, messages (arrays.c)
 *
 * Pure: no MPI, no clock. Both sides of a message plan it alone, from the same placement. */

/* Rows [first, last) of one message. */
struct keel_mpi_halo_piece {
    uint64_t first, last;
    uint32_t rank; /* that sends or receives them */
};

/* Sorted by rank, then by row. */
struct keel_mpi_halo_pieces {
    struct keel_mpi_halo_piece *piece;
    size_t count, room;
};

/* All zero for a rank without rows. */
struct keel_mpi_halo_plan {
    struct keel_mpi_range_list own;
    struct keel_mpi_range_list here; /* own rows and those around them: increasing and disjoint */
    struct keel_mpi_halo_pieces receives, sends;
};

/* Makes the plan of `rank` for `halo` rows on either side of each own row. Pieces are as long as
 * possible, but at most `most` >= 1 rows; the pieces that a receives from b are those that b sends
 * to a. False: no memory, and *plan is empty. O(runs + pieces * log runs). */
bool keel_mpi_halo_plan_make(struct keel_mpi_halo_plan *plan,
                             const struct keel_mpi_placement *placement, uint32_t rank,
                             uint64_t halo, uint64_t most);

void keel_mpi_halo_plan_free(struct keel_mpi_halo_plan *plan);

#endif
