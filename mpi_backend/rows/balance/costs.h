/* What exchanges of figures and messages take, measured before there have been any (S8, S12).
 *
 * Which times count, and when messages are timed again: probes.h.
 *
 *   first_hook.c, hook.c -> [probes, the same on all ranks] -> balance->exchange_s,
 *      costs of decide.h */
#ifndef MPI_BACKEND_ROWS_BALANCE_COSTS_H
#define MPI_BACKEND_ROWS_BALANCE_COSTS_H

#include "mpi_backend/rows/balance/balancer.h"

#define KEEL_MPI_COSTS_BYTES 8192 /* of the messages that are not empty */

/* buffer: room for two messages of KEEL_MPI_COSTS_BYTES, which has to stay for ever unless
 * KEEL_MPI_OK is returned. Collective. */
int keel_mpi_costs_measure(struct keel_mpi_rows *rows, char *buffer);

/* Whether messages are to be timed again, where this was decided: a figure for the ruling. */
bool keel_mpi_costs_are_doubtful(const struct keel_mpi_rows *rows,
                                 const struct keel_decision *decision);

/* Times them again. Collective; returns KEEL_MPI_OK or the error that ends balancing. */
int keel_mpi_costs_measure_again(struct keel_mpi_rows *rows);

#endif
