/* Figures that all ranks tell each other after sweeps, in the background.
 *
 *   a sweep's figures -> [telling] ~~> those of all ranks -> block size of later sweeps
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

#define KEEL_TELLINGS 16 /* at once */
#define KEEL_TOLD (sizeof(struct keel_sweep_figures) / sizeof(double))

struct keel_telling {
    struct keel_peers *peers;
    MPI_Comm comm;
    struct {
        MPI_Request request;
        uint64_t own[KEEL_TOLD], all[KEEL_TOLD];
    } told[KEEL_TELLINGS];
    unsigned begun, taken;
    uint64_t due; /* the next sweep after which figures are told */
};

void keel_telling_open(struct keel_telling *telling, struct keel_peers *peers, MPI_Comm comm);

/* Whether figures are told after that sweep, which count from 1. The pipeline of the first one was
 * empty before, so that it tells nothing about later ones; after that, at growing distances. */
bool keel_telling_is_due(const struct keel_telling *telling, uint64_t sweep);

/* After a sweep that it is due after; on all ranks. Waits if too many are on their way. */
void keel_telling_begin(struct keel_telling *telling, uint64_t sweep,
                        const struct keel_sweep_figures *own);

/* The maxima of all ranks; false: there is nothing new. */
bool keel_telling_take(struct keel_telling *telling, struct keel_sweep_figures *all);

/* Waits for all that is on its way. Collective. */
void keel_telling_close(struct keel_telling *telling);

#endif
