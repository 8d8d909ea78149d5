/* How the nodes of a job find that a shared loop has ended. */
#include "mpi_backend/loop/progress/engine.h"

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "schedules/arithmetic/arithmetic.h"

/* Sends the end to the nodes below, once (tests/models/nodes.pml: end). */
static void send_end_down(struct keel_mpi_loop *loop, enum keel_mpi_window_end end)
{
    const struct keel_mpi_job *job = loop->job;

    if (loop->end_sent || loop->job->local != 0) {
        return;
    }
    loop->end_sent = true;
    for (uint32_t node = 2 * job->node + 1; node <= 2 * job->node + 2 && node < job->nodes;
         node++) {
        keel_mpi_messages_send(
            loop, keel_mpi_job_leader_of(job, node),
            (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END, .end.how = (uint64_t)end});
    }
}

static void end_for_all(struct keel_mpi_loop *loop, enum keel_mpi_window_end end)
{
    keel_mpi_window_end_loop(loop->window, end);
    send_end_down(loop, end);
}

#define CHILD_WAIT 16 /* times KEEL_MPI_POLL */

/* Whether the node will claim more from the counter: it has nothing left after every chunk, so it
 * counts once, when the counter is exhausted. */
static bool claims_by_itself(const struct keel_mpi_loop *loop)
{
    return loop->claim_method == &keel_mpi_claim_by_counter && !atomic_load(&loop->exhausted);
}

/* Whether the node sends a count now. Its first count waits for those of the nodes below, so that
 * one message counts all; but for CHILD_WAIT at most, as a rank may come late. */
static bool has_to_report(struct keel_mpi_loop *loop, uint64_t begun, uint64_t left)
{
    const struct keel_mpi_job *job = loop->job;
    uint32_t below =
        min_u64(job->nodes, 2 * job->node + 3) - min_u64(job->nodes, 2 * job->node + 1);

    if (claims_by_itself(loop)) {
        return false;
    }
    if (left > 0 || loop->count_sent) {
        return left == 0 && begun > loop->reported;
    }
    double now_ns = keel_mpi_clock_ns();
    loop->idle_since_ns = loop->idle_since_ns > 0 ? loop->idle_since_ns : now_ns;
    return loop->children_counted >= below ||
           now_ns - loop->idle_since_ns > CHILD_WAIT * loop->poll_ns;
}

/* tests/models/nodes.pml: count */
void keel_mpi_termination_count(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    const struct keel_mpi_window_sums sums = keel_mpi_window_sums(loop->window);
    uint64_t begun = sums.begun + loop->child_units;
    bool cancelled = keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_CANCELLED;

    if (loop->end_sent || job->local != 0) {
        return;
    }
    if (job->node == 0) {
        if (cancelled || begun == loop->units) {
            end_for_all(loop, cancelled ? KEEL_MPI_WINDOW_CANCELLED : KEEL_MPI_WINDOW_OVER);
        }
    } else if (cancelled ? !loop->cancel_sent : has_to_report(loop, begun, sums.left)) {
        loop->cancel_sent = cancelled;
        keel_mpi_messages_send(loop, keel_mpi_job_leader_of(job, (job->node - 1) / 2),
                               (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_COUNT,
                                                         .count.begun = begun - loop->reported,
                                                         .count.is_first = !loop->count_sent,
                                                         .count.cancelled = cancelled});
        loop->reported = begun;
        if (cancelled) {
            send_end_down(loop,
                          KEEL_MPI_WINDOW_CANCELLED); /* it may have left when the end comes */
        }
        loop->count_sent = true;
    }
}

void keel_mpi_termination_take_count(struct keel_mpi_loop *loop,
                                     const struct keel_mpi_message *message)
{
    if (loop->agreement == KEEL_MPI_AGREEMENT_SAME &&
        message->count.begun > loop->units - min_u64(loop->units, loop->child_units)) {
        return; /* more than there are */
    }
    loop->child_units += message->count.begun;
    loop->children_counted += message->count.is_first;
    if (message->count.cancelled) {
        keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_CANCELLED);
    }
}

void keel_mpi_termination_take_end(struct keel_mpi_loop *loop,
                                   const struct keel_mpi_message *message)
{
    end_for_all(loop, (enum keel_mpi_window_end)message->end.how);
}
