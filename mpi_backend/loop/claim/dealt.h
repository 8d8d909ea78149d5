/* First chunks that ranks have without a claim, where claims take messages.
 *
 *   schedule, ranks -> keel_mpi_dealt_plan() -> where the counter begins
 *                   -> keel_mpi_dealt_give() -> the rank's ranges */
#ifndef MPI_BACKEND_LOOP_CLAIM_DEALT_H
#define MPI_BACKEND_LOOP_CLAIM_DEALT_H

#include "mpi_backend/loop/state/loop.h"

/* When a loop with a counter is opened: how much each rank has from the start. The same on all
 * ranks. */
void keel_mpi_dealt_plan(struct keel_mpi_loop *loop);

/* Gives this process what it has from the start. Before any worker claims. */
void keel_mpi_dealt_give(struct keel_mpi_loop *loop);

#endif
