/* Which rank has which rows: runs of rows with one owner each, in their order.
 *
 *   rows_create() -> [placement] -> bounds, halo, who sends what to whom -> moves -> [placement]
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

/* Blocks of the given numbers of rows, one of each rank >= 0, in their order. False: no memory, and
 * *placement is empty. */
bool keel_mpi_placement_make(struct keel_mpi_placement *placement, uint32_t ranks,
                             const uint64_t *shares);

/* False: no memory, and *copy is empty. */
bool keel_mpi_placement_copy(struct keel_mpi_placement *copy,
                             const struct keel_mpi_placement *placement);

void keel_mpi_placement_free(struct keel_mpi_placement *placement);

/* One behind the last row of run i. O(1). */
static inline uint64_t keel_mpi_placement_end(const struct keel_mpi_placement *placement, size_t i)
{
    return i + 1 < placement->count ? placement->run[i + 1].first : placement->rows;
}

/* The run that row < rows is in. O(log runs). */
size_t keel_mpi_placement_find(const struct keel_mpi_placement *placement, uint64_t row);

/* Rows [first, last) of `rank`: the first ones at or behind `from`, up to the end of their run.
 * False: there are none. O(runs). */
bool keel_mpi_placement_next(const struct keel_mpi_placement *placement, uint32_t rank,
                             uint64_t from, uint64_t *first, uint64_t *last);

/* Rows that `rank` has from its `place`-th row (counted over all its runs, 0 ..) on, up to the end
 * of the run or `most` of them. False: it has not so many. O(runs). */
bool keel_mpi_placement_at(const struct keel_mpi_placement *placement, uint32_t rank,
                           uint64_t place, uint64_t most, uint64_t *first, uint64_t *last);

/* Rows [first, last) go from rank to rank. */
struct keel_mpi_transfer {
    uint32_t from, to;
    uint64_t first, last;
};

/* Gives all of them to the ranks that get them at once, whoever has them. They have no rows in
 * common, and may lie in several runs each. False: no memory, and nothing has changed. O(runs +
 * transfers log transfers). */
bool keel_mpi_placement_assign(struct keel_mpi_placement *placement,
                               const struct keel_mpi_transfer *transfer, size_t transfers);

/* --- memory of rows ---
 *
 * The memory of one array of rows: addresses for all rows, memory for those that are here.
 *
 *   rows_array() -> [store] -> rows that come are held, rows that have gone are given back
 *
 * So a row has the same place in the array on every rank, at any time. Nothing is shifted when
 * other rows come and go, and messages go from array to array. A page that holds a part of a row
 * that is here stays. Touching rows on other pages ends the process (SIGSEGV). No MPI. One
 * thread. */

struct keel_mpi_store {
    char *base;   /* row 0 */
    size_t bytes; /* of addresses: those of all rows, in whole pages, one page at least */
    size_t row_bytes;
};

/* Takes addresses for `rows` rows of `row_bytes` >= 1 each; nothing is held. False: there are none,
 * or more bytes than a size_t counts; *store is empty. */
bool keel_mpi_store_open(struct keel_mpi_store *store, uint64_t rows, size_t row_bytes);

/* Makes rows [first, last) readable and writable. Those that lie on pages which were not held are
 * 0. False: no memory; what was held still is, and some of these may be. */
bool keel_mpi_store_commit(struct keel_mpi_store *store, uint64_t first, uint64_t last);

/* Gives back the pages that have no part of any of `count` ranges of rows, increasing and apart. */
void keel_mpi_store_trim(struct keel_mpi_store *store, const struct keel_mpi_range *range,
                         size_t count);

/* An empty one may be closed. */
void keel_mpi_store_close(struct keel_mpi_store *store);

/* --- halos ---
 *
 * Which rows a rank has to get from others, and to send them, so that it has those around its own.
 *
 *   placement -> [plan] -> memory to hold, messages (arrays.c)
 *
 * Pure: no MPI, no clock. Both sides of a message plan it on their own, from the same placement. */

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
