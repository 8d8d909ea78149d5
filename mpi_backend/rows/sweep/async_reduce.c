/* Asynchronous reductions of the figures of sweeps. */
#include "mpi_backend/rows/sweep/sweep.h"

#include <string.h>

#define FIRST 2
/* Sweeps from one reduction to the next, at most: its P log P messages are few among theirs. */
#define DISTANCE 16

void keel_mpi_async_reduce_open(struct keel_mpi_async_reduce *reduction,
                                struct keel_mpi_peers *peers, MPI_Comm comm)
{
    *reduction = (struct keel_mpi_async_reduce){.peers = peers, .comm = comm, .due = FIRST};
}

bool keel_mpi_async_reduce_is_due(const struct keel_mpi_async_reduce *reduction, uint64_t sweep)
{
    return sweep == reduction->due;
}

/* At least two, so that there is a sweep that no reduction disturbs. */
static uint64_t distance_from(uint64_t sweep)
{
    uint64_t distance = sweep / 2;

    return distance > DISTANCE ? DISTANCE : distance < 2 ? 2 : distance;
}

void keel_mpi_async_reduce_hasten(struct keel_mpi_async_reduce *reduction, uint64_t sweep)
{
    if (sweep >= FIRST && sweep < reduction->due) {
        reduction->due = sweep;
    }
}

static bool wait_for_oldest(struct keel_mpi_async_reduce *reduction)
{
    return keel_mpi_peers_await(
               reduction->peers, "for figures of sweeps", 1,
               &reduction->slot[reduction->completed++ % KEEL_MPI_ASYNC_REDUCES].request) ==
           KEEL_MPI_OK;
}

void keel_mpi_async_reduce_begin(struct keel_mpi_async_reduce *reduction, uint64_t sweep,
                                 const struct keel_block_size_figures *own)
{
    unsigned i = reduction->begun % KEEL_MPI_ASYNC_REDUCES;

    if (reduction->begun - reduction->completed == KEEL_MPI_ASYNC_REDUCES &&
        !wait_for_oldest(reduction)) {
        return;
    }
    /* numbers >= 0 are in the order of their representations */
    memcpy(reduction->slot[i].own, own, sizeof *own);
    if (keel_mpi_check(reduction->peers,
                       MPI_Iallreduce(reduction->slot[i].own, reduction->slot[i].all,
                                      KEEL_MPI_SWEEP_VALUES, MPI_UINT64_T, MPI_MAX, reduction->comm,
                                      &reduction->slot[i].request),
                       "MPI_Iallreduce")) {
        reduction->begun++;
    }
    reduction->due = sweep + distance_from(sweep);
}

bool keel_mpi_async_reduce_take(struct keel_mpi_async_reduce *reduction,
                                struct keel_block_size_figures *all)
{
    unsigned i = reduction->completed % KEEL_MPI_ASYNC_REDUCES;
    int done = 0;

    if (reduction->completed != reduction->begun) {
        done = keel_mpi_check(reduction->peers,
                              MPI_Test(&reduction->slot[i].request, &done, MPI_STATUS_IGNORE),
                              "MPI_Test") &&
               done;
    }
    if (done) {
        memcpy(all, reduction->slot[i].all, sizeof *all);
        reduction->completed++;
    }
    return done;
}

void keel_mpi_async_reduce_close(struct keel_mpi_async_reduce *reduction)
{
    while (reduction->completed != reduction->begun && wait_for_oldest(reduction)) {
    }
}
