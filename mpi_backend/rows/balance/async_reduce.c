/* Figures that all ranks tell each other after sweeps. */
#include "mpi_backend/rows/balance/async_reduce.h"

#include <string.h>

#define FIRST 2
#define DISTANCE \
    16 /* from one to the next, at most: P log P messages are few among those of sweeps */

void keel_mpi_async_reduce_open(struct keel_mpi_async_reduce *reduction,
                                struct keel_mpi_peers *peers, MPI_Comm comm)
{
    *reduction = (struct keel_mpi_async_reduce){.peers = peers, .comm = comm, .due = FIRST};
}

bool keel_mpi_async_reduce_is_due(const struct keel_mpi_async_reduce *reduction, uint64_t sweep)
{
    return sweep == reduction->due;
}

/* At least two, so that there is a sweep beside which nothing is told. */
static uint64_t distance_from(uint64_t sweep)
{
    uint64_t distance = sweep / 2;

    return distance > DISTANCE ? DISTANCE : distance < 2 ? 2 : distance;
}

static bool wait_for_oldest(struct keel_mpi_async_reduce *reduction)
{
    return keel_mpi_peers_await(
               reduction->peers, "for figures of sweeps", 1,
               &reduction->told[reduction->taken++ % KEEL_MPI_ASYNC_REDUCES].request) ==
           KEEL_MPI_OK;
}

void keel_mpi_async_reduce_begin(struct keel_mpi_async_reduce *reduction, uint64_t sweep,
                                 const struct keel_block_size_figures *own)
{
    unsigned i = reduction->begun % KEEL_MPI_ASYNC_REDUCES;

    if (reduction->begun - reduction->taken == KEEL_MPI_ASYNC_REDUCES) {
        if (!wait_for_oldest(reduction)) {
            return;
        }
    }
    /* numbers >= 0 are in the order of their representations */
    memcpy(reduction->told[i].own, own, sizeof *own);
    if (keel_mpi_check(reduction->peers,
                       MPI_Iallreduce(reduction->told[i].own, reduction->told[i].all,
                                      KEEL_MPI_SWEEP_VALUES, MPI_UINT64_T, MPI_MAX, reduction->comm,
                                      &reduction->told[i].request),
                       "MPI_Iallreduce")) {
        reduction->begun++;
    }
    reduction->due = sweep + distance_from(sweep);
}

bool keel_mpi_async_reduce_take(struct keel_mpi_async_reduce *reduction,
                                struct keel_block_size_figures *all)
{
    unsigned i = reduction->taken % KEEL_MPI_ASYNC_REDUCES;
    int done = 0;

    if (reduction->taken != reduction->begun) {
        done = keel_mpi_check(reduction->peers,
                              MPI_Test(&reduction->told[i].request, &done, MPI_STATUS_IGNORE),
                              "MPI_Test") &&
               done;
    }
    if (done) {
        memcpy(all, reduction->told[i].all, sizeof *all);
        reduction->taken++;
    }
    return done;
}

void keel_mpi_async_reduce_close(struct keel_mpi_async_reduce *reduction)
{
    while (reduction->taken != reduction->begun && wait_for_oldest(reduction)) {
    }
}
