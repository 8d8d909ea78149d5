/* The ruling: from the figures of all ranks to what all ranks are to do.
 *
 *   balance->figures -> which rows move? (rehearse.h; by one policy: decide.h)
 *        -> when are figures due next? (period.h) -> balance->ruling
 *
 * No messages: ranks that have the same figures make the same ruling. */
#ifndef MPI_BACKEND_ROWS_BALANCE_RULING_H
#define MPI_BACKEND_ROWS_BALANCE_RULING_H

#include "mpi_backend/rows/balance/balancer.h"

/* Where keel_mpi_balancer_decides(). */
void keel_mpi_ruling_make(struct keel_mpi_rows *rows);

#endif
