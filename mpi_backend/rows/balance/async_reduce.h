/* Figures that all ranks tell each other after sweeps, in the background.
 *
 *   a sweep's figures -> [reduction] ~~> those of all ranks -> block size of later sweeps
 *
 * A rank may be several sweeps ahead of others; it does not wait for them, as only the rank that is
 * first in a sweep needs what they tell. */
#ifndef MPI_BACKEND_ROWS_BALANCE_ASYNC_REDUCE_H
#define MPI_BACKEND_ROWS_BALANCE_ASYNC_REDUCE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"
#include "schedules/forecast/block_size.h"

#define KEEL_MPI_ASYNC_REDUCES 16 /* at once */
#define KEEL_MPI_SWEEP_VALUES (sizeof(struct keel_block_size_figures) / sizeof(double))

struct keel_mpi_async_reduce {
    struct keel_mpi_peers *peers;
    MPI_Comm comm;
    struct {
        MPI_Request request;
        uint64_t own[KEEL_MPI_SWEEP_VALUES], all[KEEL_MPI_SWEEP_VALUES];
    } told[KEEL_MPI_ASYNC_REDUCES];
    unsigned begun, taken;
    uint64_t due; /* the next sweep after which figures are told */
};

void keel_mpi_async_reduce_open(struct keel_mpi_async_reduce *reduction,
                                struct keel_mpi_peers *peers, MPI_Comm comm);

/* Whether figures are told after that sweep, which count from 1. The pipeline of the first one was
 * empty before, so that it tells nothing about later ones; after that, at growing distances. */
bool keel_mpi_async_reduce_is_due(const struct keel_mpi_async_reduce *reduction, uint64_t sweep);

/* After a sweep that it is due after; on all ranks. Waits if too many are on their way. */
void keel_mpi_async_reduce_begin(struct keel_mpi_async_reduce *reduction, uint64_t sweep,
                                 const struct keel_block_size_figures *own);

/* The maxima of all ranks; false: there is nothing new. */
bool keel_mpi_async_reduce_take(struct keel_mpi_async_reduce *reduction,
                                struct keel_block_size_figures *all);

/* Waits for all that is on its way. Collective. */
void keel_mpi_async_reduce_close(struct keel_mpi_async_reduce *reduction);

#endif
