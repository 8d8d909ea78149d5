/* Weights that follow from times of loops, or of ranks, by the figures of all.
 *
 *   figures of all ranks -> scale.h, where loops over rows are timed: one scale for all ranks
 *                        -> flow.h, where ranks alone are: what rows weigh that have moved
 *        -> [figures by these weights] -> ruling.c -> hook.c -> [weights of own rows]
 *
 *   factors of each rank's work and rates -> [units] -> ruling.c: what was recorded counts by them
 *
 * Where the program weighs its rows, nothing is done; nor within sweeps, where ranks are some hooks
 * apart. */
#ifndef MPI_BACKEND_ROWS_BALANCE_SCALES_H
#define MPI_BACKEND_ROWS_BALANCE_SCALES_H

#include "mpi_backend/rows/balance/balancer.h"

/* For rulings over so many ranks; NULL: no memory. */
struct keel_mpi_scales *keel_mpi_scales_make(uint32_t ranks);

void keel_mpi_scales_free(struct keel_mpi_scales *scales);

/* Work and rates in the figures of all ranks count by the weights that follow from them. Once for
 * each ruling, where it is made. */
void keel_mpi_scales_apply(struct keel_mpi_rows *rows, const struct keel_mpi_figures_summary *sum);

/* What work and rates count now that counted 1 at the ruling before, by measurements on ranks and
 * by keel_mpi_scales_apply(): P values > 0; NULL: all are 1. */
const double *keel_mpi_scales_units(const struct keel_mpi_scales *scales);

/* Own rows weigh `work` together, by the last ruling: sets their weights. */
void keel_mpi_scales_follow(struct keel_mpi_rows *rows, double work);

#endif
