/* One clock for the traces of all ranks: how far each host's CLOCK_MONOTONIC is from rank 0's.
 *
 *   ranks with clocks of other hosts <~> rank 0 -> [clocks] -> trace
 *
 * Processes of one host read the same clock, so one of them measures for all. */
#ifndef MPI_BACKEND_JOB_CLOCKS_H
#define MPI_BACKEND_JOB_CLOCKS_H

#include "mpi_backend/job/peers.h"

/* Where all of these ranks trace, and some do not know their clocks yet, measures these against the
 * clock of the first rank, and tells the trace. What goes wrong costs the measurement alone, unless
 * it is MPI that fails. Collective; by threads that may call MPI. */
void keel_mpi_clocks_align(struct keel_mpi_peers *peers);

#endif
