/* Asynchronous reductions of the figures of sweeps: MPI_Iallreduce, maximum over all ranks.
 *
 *   figures of a sweep -> [up to 16 pending reductions] ~~> maxima -> block size of later sweeps
 *
 * A rank may be several sweeps ahead of others, and does not wait for them: only the first rank of
 * a sweep needs the maxima. */
#ifndef MPI_BACKEND_ROWS_SWEEP_ASYNC_REDUCE_H
#define MPI_BACKEND_ROWS_SWEEP_ASYNC_REDUCE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"
#include "schedules/forecast/block_size.h"

#define KEEL_MPI_ASYNC_REDUCES 16 /* pending at once */
#define KEEL_MPI_SWEEP_VALUES (sizeof(struct keel_block_size_figures) / sizeof(double))

struct keel_mpi_async_reduce {
    struct keel_mpi_peers *peers;
    MPI_Comm comm;
    struct {
        MPI_Request request;
        uint64_t own[KEEL_MPI_SWEEP_VALUES], all[KEEL_MPI_SWEEP_VALUES];
    } slot[KEEL_MPI_ASYNC_REDUCES]; /* a ring */
    unsigned begun, completed;      /* reductions so far; pending: completed .. begun - 1 */
    uint64_t due;                   /* number of the sweep after which the next one begins */
};

void keel_mpi_async_reduce_open(struct keel_mpi_async_reduce *reduction,
                                struct keel_mpi_peers *peers, MPI_Comm comm);

/* Whether a reduction begins after that sweep; sweeps count from 1. Not after the first one, which
 * found the pipeline empty and says nothing about later ones; then at growing distances. */
bool keel_mpi_async_reduce_is_due(const struct keel_mpi_async_reduce *reduction, uint64_t sweep);

/* Makes one due after that sweep, or later where it has to be. The same on all ranks. */
void keel_mpi_async_reduce_hasten(struct keel_mpi_async_reduce *reduction, uint64_t sweep);

/* Begins a reduction, after a sweep that it is due after; on all ranks. Waits for the oldest one if
 * too many are pending. */
void keel_mpi_async_reduce_begin(struct keel_mpi_async_reduce *reduction, uint64_t sweep,
                                 const struct keel_block_size_figures *own);

/* The maxima of the oldest pending reduction; false: there is none, or it is not complete. */
bool keel_mpi_async_reduce_take(struct keel_mpi_async_reduce *reduction,
                                struct keel_block_size_figures *all);

/* Waits for all that are pending. Collective. */
void keel_mpi_async_reduce_close(struct keel_mpi_async_reduce *reduction);

#endif
