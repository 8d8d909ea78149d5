/* What one rank has executed of a shared loop, and how long it took.
 *
 *   workers -> loop->ranges, loop->figures (to all ranks), loop->report (for the program)
 *
 * By the leader, once no other worker executes a chunk. */
#ifndef MPI_BACKEND_LOOP_FIGURES_H
#define MPI_BACKEND_LOOP_FIGURES_H

#include "mpi_backend/loop/state/loop.h"

/* All that the rank's workers have executed, merged, in loop->ranges: units. */
void keel_mpi_figures_collect_ranges(struct keel_mpi_loop *loop);

/* loop->ranges in iterations, for the program. */
void keel_mpi_figures_put_in_iterations(struct keel_mpi_loop *loop);

/* Report and figures by collected ranges, which are in iterations afterwards. Figures that have
 * been sent stay as they are. */
void keel_mpi_figures_sum_up(struct keel_mpi_loop *loop);

#endif
