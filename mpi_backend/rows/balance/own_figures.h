/* What this rank observes from hook to hook, and the figures that it sends about itself.
 *
 *   each hook -> [phases: work, time of computing] -> rate since the last figures -> figures
 *
 * A span of time lasts from one exchange of figures to the next; rates are taken for whole
 * spans. */
#ifndef MPI_BACKEND_ROWS_BALANCE_OWN_FIGURES_H
#define MPI_BACKEND_ROWS_BALANCE_OWN_FIGURES_H

#include "mpi_backend/rows/balance/balancer.h"

/* Rates count from now on. */
void keel_mpi_own_figures_begin_span(struct keel_mpi_rows *rows);

/* At each hook: what was computed since the last one. */
void keel_mpi_own_figures_note_hook(struct keel_mpi_rows *rows);

/* Fills in balance->own; a new span begins. */
void keel_mpi_own_figures_take(struct keel_mpi_rows *rows);

/* Weights of own rows have got `factor` times as large: work that was noted, and rates, count by
 * them. */
void keel_mpi_own_figures_scale(struct keel_mpi_rows *rows, double factor);

#endif
