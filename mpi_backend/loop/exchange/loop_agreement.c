/* Collective operations of a shared loop. */
#include "mpi_backend/loop/exchange/exchange.h"

#include <stdlib.h>

/* --- blocks by the rates of all ranks ---
 *
 *   summary of all ranks -> blocks stay: done
 *                        -> they change: sum of the weights of the ranks below -> the rank's block
 *                           -> those of the node's ranks
 *
 * A rank only gets sums, and the blocks of its node. */

static void begin_sum(struct keel_mpi_loop *loop, enum keel_blocks_decision decision)
{
    struct keel_mpi_loop_shares *shares = &loop->shares;
    struct keel_mpi_peers *peers = &loop->job->peers;

    shares->stage = KEEL_MPI_SHARES_SUM;
    shares->change = keel_rate_share_change(&loop->record->own.share, decision,
                                            &loop->summary.learned.rates, loop->units);
    KEEL_MPI_CALL(peers, MPI_Iexscan, &shares->change.weight, &shares->below, 1, MPI_UINT64_T,
                  MPI_SUM, peers->comm, &shares->request);
}

static void begin_node(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loop_shares *shares = &loop->shares;
    struct keel_mpi_record *record = loop->record;
    struct keel_rate_share *own = &record->own.share;
    uint64_t below = loop->job->rank > 0 ? shares->below : 0; /* MPI does not define it on rank 0 */

    keel_rate_share_set(own, &shares->change, loop->job->rank, below);
    shares->part[0] = own->first;
    shares->part[1] = own->last;
    shares->stage = KEEL_MPI_SHARES_NODE;
    KEEL_MPI_CALL(&loop->job->peers, MPI_Iallgather, shares->part, sizeof shares->part, MPI_BYTE,
                  record->part, sizeof shares->part, MPI_BYTE, loop->job->node_comm,
                  &shares->request);
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

static bool advance_shares(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loop_shares *shares = &loop->shares;

    if (shares->stage == KEEL_MPI_SHARES_NONE) {
        begin(loop);
    }
    while (shares->stage != KEEL_MPI_SHARES_DONE && !keel_mpi_loop_see_failure(loop) &&
           keel_mpi_peers_test(&loop->job->peers, &shares->request)) {
        if (shares->stage == KEEL_MPI_SHARES_SUM) {
            begin_node(loop);
        } else {
            shares->stage = KEEL_MPI_SHARES_DONE;
        }
    }
    return shares->stage == KEEL_MPI_SHARES_DONE;
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
    loop->learned_apart = loop->agreed[2] != 0 && loop->agreed[2] == ~loop->agreed[3];
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

/* MPI returns bitwise the same result on all ranks. */
static void send_summary(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;

    if (loop->summary_sent) {
        return;
    }
    loop->summary_sent = true;
    loop->own = keel_mpi_summary_of(&loop->measurements, job->rank);
    if (loop->learns) {
        keel_mpi_record_add_speeds(loop->record, &loop->measurements, &loop->own);
    }
    if ((job->summaries == NULL && !make_operation(job)) ||
        !KEEL_MPI_CALL(&job->peers, MPI_Iallreduce, &loop->own, &loop->summary, 1,
                       job->summaries->type, job->summaries->add, job->peers.comm,
                       &loop->summary_request)) {
        loop->summary_request = MPI_REQUEST_NULL;
    }
}

/* --- the loops of all ranks, if they differ --- */

/* Different from those of channel.c, gather.c and clocks.c; one for each loop. */
#define TAG 3
#define TAG_KINDS 16
#define TAG_NUMBERS 2048

static int tag_of(const struct keel_mpi_loop *loop)
{
    return TAG + TAG_KINDS * (int)(loop->number % TAG_NUMBERS);
}

/* Returns the first rank with a loop, which can name it; 0 if none has one. */
static uint32_t reporter_of(const struct keel_mpi_loop *loop)
{
    return loop->agreed[4] > 0 ? loop->job->ranks - (uint32_t)loop->agreed[4] : 0;
}

static void send_identity(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;
    uint32_t reporter = reporter_of(loop);

    loop->identity_sent = true;
    if (job->rank == reporter) {
        loop->came = malloc(job->ranks * sizeof *loop->came);
        if (loop->came != NULL) {
            loop->came[job->rank] = loop->identity;
        }
    } else if (!KEEL_MPI_CALL(&job->peers, MPI_Isend, &loop->identity, sizeof loop->identity,
                              MPI_BYTE, (int)reporter, tag_of(loop), job->peers.comm,
                              &loop->identity_request)) {
        loop->identity_request = MPI_REQUEST_NULL;
    }
}

/* Receives the loops of the others; true when it has all, or no memory for them. */
static bool receive_identities(struct keel_mpi_loop *loop)
{
    struct keel_mpi_peers *peers = &loop->job->peers;
    MPI_Status status;
    int there = 1;

    while (loop->came != NULL && loop->identities < peers->ranks - 1 && there) {
        if (!KEEL_MPI_CALL(peers, MPI_Iprobe, MPI_ANY_SOURCE, tag_of(loop), peers->comm, &there,
                           &status) ||
            (there && !KEEL_MPI_CALL(peers, MPI_Recv, &loop->came[status.MPI_SOURCE],
                                     sizeof *loop->came, MPI_BYTE, status.MPI_SOURCE, tag_of(loop),
                                     peers->comm, MPI_STATUS_IGNORE))) {
            return false;
        }
        loop->identities += there != 0;
    }
    return there != 0;
}

/* If ranks run different loops: sends or reports these. No rank waits for ends of other loops. */
static void report_mismatch(struct keel_mpi_loop *loop)
{
    struct keel_mpi_peers *peers = &loop->job->peers;

    if (loop->agreement != KEEL_MPI_AGREEMENT_MISMATCH || loop->mismatch_reported) {
        return;
    }
    if (!loop->identity_sent) {
        send_identity(loop);
    }
    if (!loop->summary_sent) {
        loop->measurements = (struct keel_mpi_rank_measurements){0};
        send_summary(loop);
    }
    if (!keel_mpi_loop_see_failure(loop) && keel_mpi_peers_test(peers, &loop->identity_request) &&
        receive_identities(loop)) {
        loop->mismatch_reported = true;
        if (peers->rank == reporter_of(loop)) {
            keel_mpi_identity_report_mismatch(loop);
            free(loop->came);
            loop->came = NULL;
        }
    }
}

/* --- agreement --- */

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
        loop->proposed[2] = loop->check != 0 ? loop->basis : 0;
        loop->proposed[3] = ~loop->proposed[2];
        loop->proposed[4] = loop->identity.caller != 0 ? loop->job->ranks - loop->job->rank : 0;
        loop->agreement = KEEL_MPI_AGREEMENT_PENDING;
        if (!keel_mpi_peers_start_maxima(peers, peers->comm, loop->proposed, loop->agreed, 5,
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

/* After a failure no collective operation is begun. */
void keel_mpi_agreement_exchange(struct keel_mpi_loop *loop)
{
    if (!keel_mpi_loop_see_failure(loop)) {
        keel_mpi_agreement_advance(loop);
    }
    if (!keel_mpi_loop_see_failure(loop)) {
        send_summary(loop);
    }
}

MPI_Request *keel_mpi_agreement_request(struct keel_mpi_loop *loop)
{
    if (loop->agreement <= KEEL_MPI_AGREEMENT_PENDING) {
        return &loop->agreement_request;
    }
    return loop->summary_request != MPI_REQUEST_NULL ? &loop->summary_request
                                                     : &loop->shares.request;
}

bool keel_mpi_agreement_is_exchanged(struct keel_mpi_loop *loop)
{
    if (keel_mpi_loop_see_failure(loop)) {
        return true;
    }
    keel_mpi_agreement_advance(loop);
    if (keel_mpi_loop_see_failure(loop)) {
        return true;
    }
    return keel_mpi_agreement_is_known(loop) &&
           keel_mpi_peers_test(&loop->job->peers, &loop->summary_request) && advance_shares(loop);
}
