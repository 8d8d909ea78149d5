/* Whole rows where each has a weight of its own: from work that ranks are to have to rows.
 *
 *   work wanted (decide.h), own rows' weights -> [what each rank can say: a number for each rank]
 *        -> brought together over all ranks -> rows that each is to have -> movement.c
 *
 * Only their rank knows what its rows weigh, so each says what lies in its own work. Pure. */
#ifndef MPI_BACKEND_ROWS_BALANCE_WEIGHTED_ROWS_H
#define MPI_BACKEND_ROWS_BALANCE_WEIGHTED_ROWS_H

#include <stdint.h>

/* What all ranks know, the same on each of them. */
struct keel_mpi_work_division {
    uint32_t ranks; /* P >= 1 */
    uint64_t rows;
    const double *present; /* work of each rank, >= 0 */
    const double *wanted;  /* the same that each is to have; adds up to as much */
};

/* Weights are kept so that 0, which new memory holds, stands for 1: as w - 1, and small ones, which
 * would get lost in that, as -2 - 1 / w. Down to 1e-300. */
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

/* Blocks in the order of ranks: where the blocks of ranks 1 .. P - 1 are to begin, as far as that
 * is among own rows; bound[r] is one more than the row, 0 where it is elsewhere. A bound lies at
 * the end of a row that is nearest to it. The last rank speaks for bounds behind all work. Of each
 * bound one rank knows it: the highest number is the one that counts. P numbers. */
void keel_mpi_weighted_rows_bounds(const struct keel_mpi_work_division *all,
                                   const struct keel_mpi_weighted_rows *own, int64_t *bound);

/* The rows of each rank, from all bounds. Everybody gets a row where there are as many. Changes
 * bounds. */
void keel_mpi_weighted_rows_shares(const struct keel_mpi_work_division *all, int64_t *bound,
                                   uint64_t *shares);

/* Rows that go directly: what own rows change in the number of rows of each rank. The last ones go,
 * as many as come nearest to the surplus, but for one. Surpluses of all ranks lie one behind the
 * other, and so do shortages: a row goes to where its middle lies, in the order of keel_moves_any.
 * Adds up to 0; sums over all ranks are the changes. P numbers. */
void keel_mpi_weighted_rows_changes(const struct keel_mpi_work_division *all,
                                    const struct keel_mpi_weighted_rows *own, int64_t *change);

#endif
