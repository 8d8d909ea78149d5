/* Carries out a ruling that moves rows.
 *
 *   work that each rank is to have -> whole rows, where each has a weight of its own
 *        (weighted_rows.h) -> movement.h */
#ifndef MPI_BACKEND_ROWS_BALANCE_CARRY_OUT_H
#define MPI_BACKEND_ROWS_BALANCE_CARRY_OUT_H

#include "mpi_backend/rows/balance/balancer.h"
#include "mpi_backend/rows/movement/movement.h"

/* Moves rows as balance->ruling says. After what cannot be put right, balancing stops. Collective;
 * returns the same code on all ranks unless they came too late. */
int keel_mpi_carry_out_ruling(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved);

#endif
