/* Whole rows for each rank, if rows have different weights.
 *
 *   work that each rank is to have (decide.h), weights of own rows
 *        -> [result for own rows: a number for each rank]
 *        ~~> maxima or sums over all ranks -> rows that each is to have
 *        -> movement_room.h
 *
 * A rank knows only the weights of its own rows. So each rank computes its part of the result from
 * them, and all parts together give the number of rows of each rank. Pure. */
#ifndef MPI_BACKEND_ROWS_WEIGHTED_ROWS_H
#define MPI_BACKEND_ROWS_WEIGHTED_ROWS_H

#include <stdint.h>

/* The same on all ranks. */
struct keel_mpi_work_division {
    uint32_t ranks; /* P >= 1 */
    uint64_t rows;
    const double *present; /* work of each rank, >= 0 */
    const double *wanted;  /* work that each is to have; the same sum */
};

/* A weight w >= 0.5, and 0, is stored as w - 1, so that 0, the value of new memory, means weight 1.
 * Other weights below 0.5 would lose digits, and are stored as -2 - 1 / w. Down to 1e-300. */
static inline double keel_mpi_weight_encode(double weight)
{
    return weight > 0 && weight < 0.5 ? -2 - 1 / weight : weight - 1;
}

static inline double keel_mpi_weight_decode(double kept)
{
    return kept < -2 ? 1 / (-2 - kept) : 1 + kept;
}

/* Own rows, increasing. */
struct keel_mpi_weighted_rows {
    uint32_t rank;
    const uint64_t *row;
    uint64_t count;
    const double *encoded; /* weight of row i is keel_mpi_weight_decode(encoded[i]) */
};

/* Adjacent rows: where the blocks of ranks 1 .. P - 1 are to begin. bound[r] is that row + 1 if it
 * lies among own rows, rounded to the nearest end of a row; otherwise 0. The last rank fills in
 * bounds behind all work. So for each bound one rank has a number > 0, and the maximum over all
 * ranks is the bound. P numbers. */
void keel_mpi_weighted_rows_bounds(const struct keel_mpi_work_division *all,
                                   const struct keel_mpi_weighted_rows *own, int64_t *bound);

/* Computes the number of rows of each rank from the maxima of all ranks' bounds, which it changes.
 * Each rank gets at least one row if there are enough. */
void keel_mpi_weighted_rows_shares(const struct keel_mpi_work_division *all, int64_t *bound,
                                   uint64_t *shares);

/* KEEL_MPI_ANY: by how much own rows change the number of rows of each rank. The last own rows
 * leave, as many as come nearest to the surplus; one row always stays. Surpluses of all ranks lie
 * end to end, as do shortages: a row goes to the rank in whose shortage its middle is, in the order
 * of keel_moves_any. P numbers of sum 0; their sums over all ranks are the changes. */
void keel_mpi_weighted_rows_changes(const struct keel_mpi_work_division *all,
                                    const struct keel_mpi_weighted_rows *own, int64_t *change);

/* The work of own rows on each rank under the new numbers of rows, P numbers: integers in units of
 * all work / KEEL_MPI_WEIGHTED_PARTS, so that all ranks compute the same sums. The sums over all
 * ranks are the work of each rank. shares: P, of blocks; NULL for KEEL_MPI_ANY, where own rows
 * leave as in `change` (keel_mpi_weighted_rows_changes). */
#define KEEL_MPI_WEIGHTED_PARTS 0x1p50

void keel_mpi_weighted_rows_work(const struct keel_mpi_work_division *all,
                                 const struct keel_mpi_weighted_rows *own, const uint64_t *shares,
                                 const int64_t *change, int64_t *work);

/* The part of the present time that is saved if the sums over all ranks are `work`, P numbers, by
 * their rates in work per s: 1 - longest time then / longest time now; < 0 if it takes longer. A
 * rank without a rate (0) is taken to have the mean of the others. */
double keel_mpi_weighted_rows_gain(const struct keel_mpi_work_division *all, const int64_t *work,
                                   const double *rate);

#endif
