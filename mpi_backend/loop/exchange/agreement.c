/* Collective operations of a shared loop. */
#include "mpi_backend/loop/exchange/agreement.h"

#include "mpi_backend/loop/exchange/identity.h"

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

static void send_figures(struct keel_mpi_loop *loop)
{
    struct keel_mpi_peers *peers = &loop->job->peers;

    if (loop->figures_sent) {
        return;
    }
    loop->figures_sent = true;
    if (!keel_mpi_check(peers,
                        MPI_Iallgather(&loop->figures, sizeof loop->figures, MPI_BYTE,
                                       loop->all_figures, sizeof loop->figures, MPI_BYTE,
                                       peers->comm, &loop->figures_request),
                        "MPI_Iallgather")) {
        loop->figures_request = MPI_REQUEST_NULL;
    }
}

/* Ranks run different loops: they exchange at once what each came with. */
static void report_mismatch(struct keel_mpi_loop *loop)
{
    if (loop->agreement != KEEL_MPI_AGREEMENT_MISMATCH || loop->mismatch_reported) {
        return;
    }
    if (!loop->figures_sent) {
        loop->figures = (struct keel_mpi_rank_figures){.identity = loop->identity};
        send_figures(loop);
    }
    if (keel_mpi_channel_test(&loop->job->peers, &loop->figures_request)) {
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
        if (!keel_mpi_check(peers,
                            MPI_Iallreduce(loop->proposed, loop->agreed, 2, MPI_UINT64_T, MPI_MAX,
                                           peers->comm, &loop->agreement_request),
                            "MPI_Iallreduce")) {
            loop->agreement_request = MPI_REQUEST_NULL;
            return;
        }
    }
    if (loop->agreement == KEEL_MPI_AGREEMENT_PENDING &&
        keel_mpi_channel_test(&loop->job->peers, &loop->agreement_request)) {
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
        send_figures(loop);
    }
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
           keel_mpi_channel_test(&loop->job->peers, &loop->figures_request);
}
