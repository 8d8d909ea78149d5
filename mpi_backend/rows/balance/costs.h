/* What exchanges of figures and messages take, measured at the first hook, before there have been
 * any (S8, S12).
 *
 *   first_hook.c -> [probes, the same on all ranks] -> balance->exchange_s, costs of decide.h */
#ifndef MPI_BACKEND_ROWS_BALANCE_COSTS_H
#define MPI_BACKEND_ROWS_BALANCE_COSTS_H

#include "mpi_backend/rows/balance/balancer.h"

#define KEEL_MPI_COSTS_BYTES 8192 /* of the messages that are not empty */

/* buffer: room for two messages of KEEL_MPI_COSTS_BYTES, which has to stay for ever unless
 * KEEL_MPI_OK is returned. Collective. */
int keel_mpi_costs_measure(struct keel_mpi_rows *rows, char *buffer);

#endif
