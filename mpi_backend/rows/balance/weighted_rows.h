/* Whole rows for each rank, where rows have weights of their own.
 *
 *   work that each rank is to have (decide.h), weights of own rows
 *        -> [what follows for own rows: a number for each rank]
 *        ~~> maxima or sums over all ranks -> rows that each is to have
 *        -> movement_room.h
 *
 * A rank knows the weights of its own rows alone. So each rank works out what lies among its own
 * rows, and all numbers together say how many rows each rank is to have. Pure. */
#ifndef MPI_BACKEND_ROWS_BALANCE_WEIGHTED_ROWS_H
#define MPI_BACKEND_ROWS_BALANCE_WEIGHTED_ROWS_H

#include <stdint.h>

/* The same on all ranks. */
struct keel_mpi_work_division {
    uint32_t ranks; /* P >= 1 */
    uint64_t rows;
    const double *present; /* work of each rank, >= 0 */
    const double *wanted;  /* work that each is to have; adds up to as much */
};

/* Weights are stored so that 0, which new memory holds, means 1: as w - 1. Weights below 0.5 would
 * lose digits in that, and are stored as -2 - 1 / w. Down to 1e-300. */
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

/* Adjacent rows: where the blocks of ranks 1 .. P - 1 are to begin. bound[r] is that row + 1 where
 * it lies among own rows, at the end of the row that is nearest to it; else 0. The last rank fills
 * in bounds behind all work. So for each bound one rank has a number > 0, and the maximum over all
 * ranks is the bound. P numbers. */
void keel_mpi_weighted_rows_bounds(const struct keel_mpi_work_division *all,
                                   const struct keel_mpi_weighted_rows *own, int64_t *bound);

/* The number of rows of each rank, from the maxima of all ranks' bounds, which it changes. Each
 * rank gets a row where there are as many. */
void keel_mpi_weighted_rows_shares(const struct keel_mpi_work_division *all, int64_t *bound,
                                   uint64_t *shares);

/* Any rows: by how much own rows change the number of rows of each rank. The last own rows leave,
 * as many as come nearest to the surplus; one row always stays. Surpluses of all ranks lie one
 * behind the other, and so do shortages: a row goes to where its middle lies, in the order of
 * keel_moves_any. The numbers add up to 0; their sums over all ranks are the changes. P numbers. */
void keel_mpi_weighted_rows_changes(const struct keel_mpi_work_division *all,
                                    const struct keel_mpi_weighted_rows *own, int64_t *change);

/* What own rows come to on each rank with such rows of all, P numbers: work in parts of all work /
 * KEEL_MPI_WEIGHTED_PARTS, so that sums over all ranks are the same wherever they are made. Sums
 * are what each rank has to do. shares: P, of blocks; NULL: any rows, of
 * which own ones leave as `change` has it (keel_mpi_weighted_rows_changes). */
#define KEEL_MPI_WEIGHTED_PARTS 0x1p50

void keel_mpi_weighted_rows_work(const struct keel_mpi_work_division *all,
                                 const struct keel_mpi_weighted_rows *own, const uint64_t *shares,
                                 const int64_t *change, int64_t *work);

/* The part of the present time that ranks take less where the sums of all are `work`, by their
 * rates, work per s, P of each: 1 - longest time then / longest time now. A rank without a rate,
 * 0, counts as the mean of the others. < 0: they take longer. */
double keel_mpi_weighted_rows_gain(const struct keel_mpi_work_division *all, const int64_t *work,
                                   const double *rate);

#endif
