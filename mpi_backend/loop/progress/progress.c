/* The progress engine, and how the nodes of a job find that a shared loop has ended. */
#include "mpi_backend/loop/shared_loop.h"

#include <math.h>

#include "mpi_backend/job/job.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "mpi_backend/process/mpi_process.h"
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

/* Whether the node will claim more from the counter: no iterations are left after every chunk, so
 * it counts once, when the counter is exhausted. */
static bool claims_by_itself(const struct keel_mpi_loop *loop)
{
    return loop->claim_method == &keel_mpi_claim_by_counter && !atomic_load(&loop->exhausted);
}

/* Whether the node sends a count now. Its first count waits for those of the nodes below, so that
 * one message counts all; but at most for CHILD_WAIT, as a rank may be late. */
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
                          KEEL_MPI_WINDOW_CANCELLED); /* it may have left before the end arrives */
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

/* --- progress ---
 *
 * The progress engine: messages and collective operations of shared loops, between chunks. */

/* --- handlers of messages --- */

static void take_answer(struct keel_mpi_loop *loop, const struct keel_mpi_message *message)
{
    loop->claim_method->answer(loop, message);
}

static const struct keel_mpi_message_handler handlers[] = {
    [KEEL_MPI_MESSAGE_CLAIM] = {.serve = keel_mpi_grants_serve},
    [KEEL_MPI_MESSAGE_GRANT] = {.take = take_answer},
    [KEEL_MPI_MESSAGE_REQUEST] = {.serve = keel_mpi_transfers_serve},
    [KEEL_MPI_MESSAGE_QUERY] = {.serve = keel_mpi_transfers_serve},
    [KEEL_MPI_MESSAGE_TRANSFER] = {.take = take_answer},
    [KEEL_MPI_MESSAGE_COUNT] = {.take = keel_mpi_termination_take_count},
    [KEEL_MPI_MESSAGE_END] = {.take = keel_mpi_termination_take_end},
};

/* --- between chunks --- */

/* True if anything was received. */
static bool make_progress(struct keel_mpi_loop *loop, struct keel_mpi_worker *worker)
{
    struct keel_mpi_job *job = loop->job;
    enum keel_mpi_agreement agreement = loop->agreement;
    enum keel_mpi_window_end end = keel_mpi_window_end(loop->window);

    keel_mpi_peers_poll_every(&job->peers, false, keel_mpi_clock_ns() * 1e-9,
                              KEEL_MPI_POLLS_APART_S);
    if (keel_mpi_loop_see_failure(loop)) {
        return false;
    }
    keel_mpi_agreement_advance(loop);
    if (job->nodes == 1) {
        return loop->agreement != agreement;
    }
    bool any = keel_mpi_messages_receive(job, handlers);
    if (worker != NULL && keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_RUNNING) {
        loop->claim_method->request_ahead(worker);
    }
    if (keel_mpi_loop_is_open(loop)) {
        keel_mpi_termination_count(loop);
    }
    return any || loop->agreement != agreement || keel_mpi_window_end(loop->window) != end;
}

void keel_mpi_progress_locked(struct keel_mpi_loop *loop)
{
    make_progress(loop, NULL);
    atomic_store_explicit(&loop->progress_ns, keel_mpi_clock_ns(), memory_order_relaxed);
}

bool keel_mpi_progress_now(struct keel_mpi_loop *loop, struct keel_mpi_worker *worker)
{
    if (!keel_mpi_job_try_lock(loop->job)) {
        return false;
    }
    bool any = make_progress(loop, worker);
    keel_mpi_job_unlock(loop->job);
    return any;
}

/* Whether the engine has not run for a part of the time of answers. */
static bool is_time(const struct keel_mpi_loop *loop, double now_ns)
{
    double progress_ns = atomic_load_explicit(&loop->progress_ns, memory_order_relaxed);

    return now_ns - progress_ns >= loop->poll_ns / KEEL_MPI_PROGRESS_PART;
}

/* Whether there may be messages to send or to receive now. */
static bool is_due(const struct keel_mpi_worker *worker)
{
    const struct keel_mpi_loop *loop = worker->loop;

    if (loop->job->nodes > 1) {
        return is_time(loop, worker->chunk_end_ns);
    }
    return loop->agreement <= KEEL_MPI_AGREEMENT_PENDING ||
           worker->chunk_end_ns * 1e-9 - loop->job->peers.polled_s > KEEL_MPI_POLLS_APART_S;
}

void keel_mpi_progress_poll(struct keel_mpi_loop *loop)
{
    if (loop->job->nodes > 1 && is_time(loop, keel_mpi_clock_ns()) && keel_mpi_job_may_call_mpi() &&
        keel_mpi_job_try_lock(loop->job)) {
        keel_mpi_progress_locked(loop);
        keel_mpi_job_unlock(loop->job);
    }
}

void keel_mpi_progress_if_due(struct keel_mpi_worker *worker)
{
    struct keel_mpi_loop *loop = worker->loop;

    if (!is_due(worker) || !keel_mpi_job_try_lock(loop->job)) {
        return;
    }
    /* a rank that may not execute any more iterations requests none */
    make_progress(loop, worker->had_last && loop->threads == 1 ? NULL : worker);
    atomic_store_explicit(&loop->progress_ns, worker->chunk_end_ns, memory_order_relaxed);
    keel_mpi_job_unlock(loop->job);
}

/* --- a thread for long iterations --- */

#define SHORTEST_S 50e-6 /* a sleep takes at least this long */
#define IDLE_S 10e-3     /* while no loop needs it */

/* Runs the engine if it has not run for half the time of answers. Reads the loop again under the
 * channel lock, for which keel_mpi_progress_thread_release() waits. */
static double look_after(void *context)
{
    struct keel_mpi_job *job = context;
    struct keel_mpi_loop *loop = atomic_load(&job->served);

    if (loop == NULL) {
        return IDLE_S;
    }
    double apart_ns = loop->poll_ns / 2;
    double left_ns = atomic_load(&loop->progress_ns) + apart_ns - keel_mpi_clock_ns();
    if (left_ns <= 0 && keel_mpi_job_try_lock(job)) {
        loop = atomic_load(&job->served);
        if (loop != NULL) {
            keel_mpi_progress_locked(loop);
        }
        keel_mpi_job_unlock(job);
    }
    return fmax(SHORTEST_S, fmin((left_ns > 0 ? left_ns : apart_ns) * 1e-9, IDLE_S));
}

void keel_mpi_progress_thread_serve(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;

    if (!keel_mpi_job_may_answer_aside() || job->nodes == 1) {
        return;
    }
    atomic_store(&job->served, loop);
    if (!job->progress.runs) {
        keel_mpi_periodic_start(&job->progress, SHORTEST_S, look_after, job);
    }
}

void keel_mpi_progress_thread_release(struct keel_mpi_loop *loop)
{
    if (atomic_load(&loop->job->served) == loop) {
        keel_mpi_job_lock(loop->job);
        atomic_store(&loop->job->served, NULL);
        keel_mpi_job_unlock(loop->job);
    }
}
