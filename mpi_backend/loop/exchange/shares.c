/* Blocks by the rates of all ranks. */
#include "mpi_backend/loop/exchange/shares.h"

#define TAG 3 /* other than those of channel.c, gather.c and clocks.c */

/* --- the sum of the weights of the ranks below --- */

/* With distance 1, 2, 4 ...: tells the rank so far above what this rank and those below it, as far
 * as known, come to, and hears the same from the rank so far below. */
static bool begin_round(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loop_shares *shares = &loop->shares;
    struct keel_mpi_peers *peers = &loop->job->peers;
    uint32_t rank = loop->job->rank, distance = shares->distance;

    shares->told = shares->below + shares->change.weight;
    shares->heard = 0;
    return (rank < distance ||
            keel_mpi_check(peers,
                           MPI_Irecv(&shares->heard, 1, MPI_UINT64_T, (int)(rank - distance), TAG,
                                     peers->comm, &shares->request[0]),
                           "MPI_Irecv")) &&
           (distance >= loop->job->ranks - rank ||
            keel_mpi_check(peers,
                           MPI_Isend(&shares->told, 1, MPI_UINT64_T, (int)(rank + distance), TAG,
                                     peers->comm, &shares->request[1]),
                           "MPI_Isend"));
}

static void begin_sum(struct keel_mpi_loop *loop, enum keel_blocks_decision decision)
{
    struct keel_mpi_loop_shares *shares = &loop->shares;

    shares->stage = KEEL_MPI_SHARES_SUM;
    shares->change = keel_rate_share_change(&loop->record->own.share, decision,
                                            &loop->summary.learned.rates, loop->units);
    shares->distance = 1;
    begin_round(loop);
}

static bool requests_are_done(struct keel_mpi_loop *loop)
{
    struct keel_mpi_peers *peers = &loop->job->peers;

    return keel_mpi_channel_test(peers, &loop->shares.request[0]) &&
           keel_mpi_channel_test(peers, &loop->shares.request[1]);
}

/* --- the blocks of the node's ranks --- */

static void begin_node(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loop_shares *shares = &loop->shares;
    struct keel_mpi_record *record = loop->record;
    struct keel_rate_share *own = &record->own.share;

    keel_rate_share_set(own, &shares->change, loop->job->rank, shares->below);
    shares->part[0] = own->first;
    shares->part[1] = own->last;
    shares->stage = KEEL_MPI_SHARES_NODE;
    keel_mpi_check(&loop->job->peers,
                   MPI_Iallgather(shares->part, sizeof shares->part, MPI_BYTE, record->part,
                                  sizeof shares->part, MPI_BYTE, loop->job->node_comm,
                                  &shares->request[0]),
                   "MPI_Iallgather");
}

/* --- all of it --- */

static void begin(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loop_shares *shares = &loop->shares;
    bool counts =
        loop->learns && loop->agreement == KEEL_MPI_AGREEMENT_SAME && loop->summary.cancelled == 0;

    shares->stage = KEEL_MPI_SHARES_DONE;
    if (!counts) {
        return;
    }
    shares->decision = keel_mpi_record_learn(loop->record, loop->units, &loop->summary);
    if (shares->decision != KEEL_BLOCKS_KEPT) {
        begin_sum(loop, shares->decision);
    }
}

static void go_on(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loop_shares *shares = &loop->shares;

    if (shares->stage == KEEL_MPI_SHARES_NODE) {
        shares->stage = KEEL_MPI_SHARES_DONE;
        return;
    }
    shares->below += shares->heard;
    shares->distance *= 2;
    if (shares->distance < loop->job->ranks && shares->distance != 0) {
        begin_round(loop);
    } else {
        begin_node(loop);
    }
}

bool keel_mpi_shares_advance(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loop_shares *shares = &loop->shares;

    if (shares->stage == KEEL_MPI_SHARES_NONE) {
        begin(loop);
    }
    while (shares->stage != KEEL_MPI_SHARES_DONE && !keel_mpi_loop_has_failed(loop) &&
           requests_are_done(loop)) {
        go_on(loop);
    }
    return shares->stage == KEEL_MPI_SHARES_DONE;
}

MPI_Request *keel_mpi_shares_request(struct keel_mpi_loop *loop)
{
    return &loop->shares.request[loop->shares.request[0] != MPI_REQUEST_NULL ? 0 : 1];
}
