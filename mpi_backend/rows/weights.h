/* Weights of rows: how much work a row is, beside others.
 *
 *   keel_mpi_rows_weigh() -> [weights of own rows] -> rows->work -> rates, decisions
 *
 * Kept encoded (balance/weighted_rows.h), so that new memory, which is 0, means weight 1. */
#ifndef MPI_BACKEND_ROWS_WEIGHTS_H
#define MPI_BACKEND_ROWS_WEIGHTS_H

#include "mpi_backend/rows/balance/weighted_rows.h"
#include "mpi_backend/rows/state.h"

/* The weight of an own row. */
static inline double keel_mpi_weights_of(const struct keel_mpi_rows *rows, uint64_t row)
{
    return keel_mpi_weight_decode(((const double *)(const void *)rows->weights.base)[row]);
}

/* Addresses for the weights of all rows, and memory for those of own ones. False: there is none. */
bool keel_mpi_weights_open(struct keel_mpi_rows *rows);

/* The weights of all own rows, added up afresh. O(rows), if any was weighed. */
double keel_mpi_weights_sum(const struct keel_mpi_rows *rows);

#endif
