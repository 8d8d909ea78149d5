/* One scale for the weights of all ranks, where they follow from what loops take.
 *
 *   figures of all ranks -> scale.h -> [figures in the units of all] -> ruling.c
 */
#ifndef MPI_BACKEND_ROWS_BALANCE_SCALES_H
#define MPI_BACKEND_ROWS_BALANCE_SCALES_H

#include "mpi_backend/rows/balance/balancer.h"

/* For rulings over so many ranks; NULL: no memory. */
struct keel_mpi_scales *keel_mpi_scales_make(uint32_t ranks);

void keel_mpi_scales_free(struct keel_mpi_scales *scales);

/* Brings work and rates in the figures of all ranks to one scale; does nothing where the
 * program weighs its rows, or no rank's were measured. */
void keel_mpi_scales_apply(struct keel_mpi_rows *rows, const struct keel_mpi_figures_summary *sum);

#endif
