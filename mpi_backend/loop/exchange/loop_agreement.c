/* Collective operations of a shared loop. */
#include "mpi_backend/loop/exchange/exchange.h"

#include <stdlib.h>

/* --- blocks by the rates of all ranks ---
 *
 *   summary of all ranks -> blocks stay: done
 *                        -> they change: sum of the weights of the ranks below, in ceil(log2 P)
 *                           messages of 8 bytes -> the rank's block -> those of the node's ranks
 *
 * No rank hears of more than what is added up. */

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
            KEEL_MPI_CALL(peers, MPI_Irecv, &shares->heard, 1, MPI_UINT64_T, (int)(rank - distance),
                          TAG, peers->comm, &shares->request[0])) &&
           (distance >= loop->job->ranks - rank ||
            KEEL_MPI_CALL(peers, MPI_Isend, &shares->told, 1, MPI_UINT64_T, (int)(rank + distance),
                          TAG, peers->comm, &shares->request[1]));
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

    return keel_mpi_peers_test(peers, &loop->shares.request[0]) &&
           keel_mpi_peers_test(peers, &loop->shares.request[1]);
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
    KEEL_MPI_CALL(&loop->job->peers, MPI_Iallgather, shares->part, sizeof shares->part, MPI_BYTE,
                  record->part, sizeof shares->part, MPI_BYTE, loop->job->node_comm,
                  &shares->request[0]);
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

static bool advance_shares(struct keel_mpi_loop *loop)
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

MPI_Request *request_of_shares(struct keel_mpi_loop *loop)
{
    return &loop->shares.request[loop->shares.request[0] != MPI_REQUEST_NULL ? 0 : 1];
}

/* --- agreement and summary --- */

static void settle_agreement(struct keel_mpi_loop *loop)
{
    uint64_t most = loop->agreed[0], least = ~loop->agreed[1];

    loop->agreement = most == least ? KEEL_MPI_AGREEMENT_SAME : KEEL_MPI_AGREEMENT_MISMATCH;
    if (most == 0) {
        loop->agreement = KEEL_MPI_AGREEMENT_NO_LOOP;
    }
    if (loop->agreement != KEEL_MPI_AGREEMENT_MISMATCH) {
        return;
    }
    if (keel_mpi_loop_is_open(loop)) {
        keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_MISMATCH);
    }
    loop->code = loop->code != KEEL_MPI_OK ? loop->code : KEEL_MPI_MISMATCH;
}

/* --- the summary --- */

struct keel_mpi_summary_operation {
    MPI_Datatype type;
    MPI_Op add;
};

static void add_summaries(void *in, void *in_out, int *count, MPI_Datatype *type)
{
    const struct keel_mpi_summary *other = in;
    struct keel_mpi_summary *summary = in_out;

    (void)type;
    for (int i = 0; i < *count; i++) {
        keel_mpi_summary_add(&summary[i], &other[i]);
    }
}

static bool make_operation(struct keel_mpi_job *job)
{
    struct keel_mpi_summary_operation *made = malloc(sizeof *made);
    struct keel_mpi_peers *peers = &job->peers;

    if (made == NULL) {
        return keel_mpi_check(peers, MPI_ERR_NO_MEM, "malloc");
    }
    if (!KEEL_MPI_CALL(peers, MPI_Type_contiguous, sizeof(struct keel_mpi_summary), MPI_BYTE,
                       &made->type) ||
        !KEEL_MPI_CALL(peers, MPI_Type_commit, &made->type) ||
        !KEEL_MPI_CALL(peers, MPI_Op_create, add_summaries, 1, &made->add)) {
        free(made);
        return false;
    }
    job->summaries = made;
    return true;
}

void keel_mpi_agreement_free(struct keel_mpi_job *job)
{
    if (job->summaries != NULL) {
        MPI_Type_free(&job->summaries->type);
        MPI_Op_free(&job->summaries->add);
        free(job->summaries);
        job->summaries = NULL;
    }
}

/* MPI gives all ranks the same result to the last bit. */
static void send_summary(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;

    if (loop->summary_sent) {
        return;
    }
    loop->summary_sent = true;
    loop->own = keel_mpi_summary_of(&loop->figures, job->rank);
    if (loop->learns) {
        keel_mpi_record_tell(loop->record, &loop->figures, &loop->own);
    }
    if ((job->summaries == NULL && !make_operation(job)) ||
        !KEEL_MPI_CALL(&job->peers, MPI_Iallreduce, &loop->own, &loop->summary, 1,
                       job->summaries->type, job->summaries->add, job->peers.comm,
                       &loop->summary_request)) {
        loop->summary_request = MPI_REQUEST_NULL;
    }
}

/* --- agreement --- */

/* Ranks run different loops: what they came with is summed up at once. */
static void report_mismatch(struct keel_mpi_loop *loop)
{
    if (loop->agreement != KEEL_MPI_AGREEMENT_MISMATCH || loop->mismatch_reported) {
        return;
    }
    if (!loop->summary_sent) {
        loop->figures = (struct keel_mpi_rank_figures){.identity = loop->identity};
        send_summary(loop);
    }
    if (!keel_mpi_loop_has_failed(loop) &&
        keel_mpi_peers_test(&loop->job->peers, &loop->summary_request)) {
        loop->mismatch_reported = true;
        keel_mpi_identity_report_mismatch(loop);
    }
}

bool keel_mpi_agreement_is_known(const struct keel_mpi_loop *loop)
{
    return loop->agreement == KEEL_MPI_AGREEMENT_MISMATCH
               ? loop->mismatch_reported
               : loop->agreement > KEEL_MPI_AGREEMENT_PENDING;
}

void keel_mpi_agreement_advance(struct keel_mpi_loop *loop)
{
    struct keel_mpi_peers *peers = &loop->job->peers;

    if (loop->agreement == KEEL_MPI_AGREEMENT_NONE) {
        loop->proposed[0] = loop->check;
        loop->proposed[1] = ~loop->check;
        loop->agreement = KEEL_MPI_AGREEMENT_PENDING;
        if (!keel_mpi_peers_start_maxima(peers, peers->comm, loop->proposed, loop->agreed, 2,
                                         &loop->agreement_request)) {
            loop->agreement_request = MPI_REQUEST_NULL;
            return;
        }
    }
    if (loop->agreement == KEEL_MPI_AGREEMENT_PENDING &&
        keel_mpi_peers_test(&loop->job->peers, &loop->agreement_request)) {
        settle_agreement(loop);
    }
    report_mismatch(loop);
}

/* After a failure no collective operation is begun any more. */
void keel_mpi_agreement_exchange(struct keel_mpi_loop *loop)
{
    if (!keel_mpi_loop_has_failed(loop)) {
        keel_mpi_agreement_advance(loop);
    }
    if (!keel_mpi_loop_has_failed(loop)) {
        send_summary(loop);
    }
}

MPI_Request *keel_mpi_agreement_request(struct keel_mpi_loop *loop)
{
    if (loop->agreement <= KEEL_MPI_AGREEMENT_PENDING) {
        return &loop->agreement_request;
    }
    return loop->summary_request != MPI_REQUEST_NULL ? &loop->summary_request
                                                     : request_of_shares(loop);
}

bool keel_mpi_agreement_is_exchanged(struct keel_mpi_loop *loop)
{
    if (keel_mpi_loop_has_failed(loop)) {
        return true;
    }
    keel_mpi_agreement_advance(loop);
    if (keel_mpi_loop_has_failed(loop)) {
        return true;
    }
    return keel_mpi_agreement_is_known(loop) &&
           keel_mpi_peers_test(&loop->job->peers, &loop->summary_request) && advance_shares(loop);
}
