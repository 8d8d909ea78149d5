/* What the ranks of a shared loop tell each other, between chunks of the loop.
 *
 *   messages that ask -> windows -> answers;  answers -> claim_method
 *   counts of iterations begun, up a tree of nodes -> all begun -> the end, down the tree
 *   agreement: do all run the same loop?    figures: how did it go?    (collective operations) */
#include <stdlib.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/loop/agreement.h"
#include "mpi_backend/loop/loop.h"
#include "mpi_backend/loop/message_check.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- the channel --- */

bool keel_mpi_job_try_lock(struct keel_mpi_job *job)
{
    return !atomic_flag_test_and_set_explicit(&job->channel_lock, memory_order_acquire);
}

void keel_mpi_job_lock(struct keel_mpi_job *job)
{
    for (unsigned backoff = 0; !keel_mpi_job_try_lock(job); backoff++) {
        keel_mpi_channel_wait(&job->channel, NULL, backoff, false);
    }
}

void keel_mpi_job_unlock(struct keel_mpi_job *job)
{
    atomic_flag_clear_explicit(&job->channel_lock, memory_order_release);
}

void keel_mpi_progress_send(struct keel_mpi_loop *loop, uint32_t rank,
                            struct keel_mpi_message message)
{
    message.loop = loop->number;
    loop->messages++;
    keel_mpi_channel_send(&loop->job->channel, rank, &message);
}

/* Mean over some of the last answers. */
void keel_mpi_loop_note_answer(struct keel_mpi_loop *loop)
{
    double time_ns = keel_mpi_clock_ns() - loop->asked_ns;
    double *mean_ns = &loop->job->answer_ns;

    *mean_ns = *mean_ns > 0 ? *mean_ns + (time_ns - *mean_ns) / 4 : time_ns;
}

/* --- the end --- */

static bool is_leader(const struct keel_mpi_loop *loop)
{
    return loop->job->local == 0;
}

/* Tells the nodes below, once. */
static void send_end_down(struct keel_mpi_loop *loop, enum keel_mpi_window_end end)
{
    const struct keel_mpi_job *job = loop->job;

    if (loop->told || !is_leader(loop)) {
        return;
    }
    loop->told = true;
    for (uint32_t node = 2 * job->node + 1; node <= 2 * job->node + 2 && node < job->nodes;
         node++) {
        keel_mpi_progress_send(
            loop, keel_mpi_job_leader_of(job, node),
            (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END, .left = (uint64_t)end});
    }
}

static void end_for_all(struct keel_mpi_loop *loop, enum keel_mpi_window_end end)
{
    keel_mpi_window_end_loop(loop->window, end);
    send_end_down(loop, end);
}

#define CHILD_WAIT 16 /* times KEEL_MPI_POLL */

/* Whether the rank will ask the counter for more by itself: it has nothing left after every chunk,
 * and what has been begun is told once, when the counter has no more. */
static bool claims_by_itself(const struct keel_mpi_loop *loop)
{
    return loop->claim_method == &keel_mpi_claim_by_counter && !atomic_load(&loop->exhausted);
}

/* Whether the node tells now what it has not told yet. Its first count waits for those from below,
 * so that one message tells of all; but not for ever, as a rank may come late. */
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

/* Tells the node above what has been begun here and below, when there is nothing left to begin
 * here; the first node compares it with all there is. */
static void count(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    const struct keel_mpi_window_sums sums = keel_mpi_window_sums(loop->window);
    uint64_t begun = sums.begun + loop->below;
    bool cancelled = keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_CANCELLED;

    if (loop->told) {
        return;
    }
    if (job->node == 0) {
        if (cancelled || begun == loop->units) {
            end_for_all(loop, cancelled ? KEEL_MPI_WINDOW_CANCELLED : KEEL_MPI_WINDOW_OVER);
        }
    } else if (cancelled ? !loop->cancel_sent : has_to_report(loop, begun, sums.left)) {
        loop->cancel_sent = cancelled;
        keel_mpi_progress_send(loop, keel_mpi_job_leader_of(job, (job->node - 1) / 2),
                               (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_COUNT,
                                                         .first = begun - loop->reported,
                                                         .last = !loop->count_sent,
                                                         .left = cancelled});
        loop->reported = begun;
        if (cancelled) {
            send_end_down(loop,
                          KEEL_MPI_WINDOW_CANCELLED); /* this rank may be gone when the end comes */
        }
        loop->count_sent = true;
    }
}

static void add_count(struct keel_mpi_loop *loop, const struct keel_mpi_message *message)
{
    if (loop->agreement == KEEL_MPI_AGREEMENT_SAME &&
        message->first > loop->units - min_u64(loop->units, loop->below)) {
        return; /* more than there are */
    }
    loop->below += message->first;
    loop->children_counted += (uint32_t)message->last;
    if (message->left) {
        keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_CANCELLED);
    }
}

/* --- messages --- */

/* The loop of that number, if this rank has opened it and its end has not been told yet. */
static struct keel_mpi_loop *find_loop(const struct keel_mpi_job *job, uint64_t number)
{
    struct keel_mpi_loop *loop = job->running[number % KEEL_MPI_WINDOWS];

    return loop != NULL && loop->number == number && keel_mpi_loop_is_open(loop) ? loop : NULL;
}

/* What is about a loop of the future waits for it. Memory short: the message is lost, which costs a
 * migration, or delays the end until the next count. */
static void defer(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_deferred *deferred = malloc(sizeof *deferred);

    if (deferred != NULL) {
        deferred->message = *message;
        deferred->next = job->deferred;
        job->deferred = deferred;
    }
}

/* N of the loop, once it is known that all ranks have the same; before that, who uses a message
 * looks whether it fits. */
static uint64_t iterations_of(const struct keel_mpi_job *job, uint64_t number)
{
    const struct keel_mpi_loop *loop = find_loop(job, number);

    return loop != NULL && loop->agreement == KEEL_MPI_AGREEMENT_SAME ? loop->units
                                                                      : KEEL_MPI_MESSAGE_UNKNOWN;
}

/* Whether the message can be right; else it is dropped, with one message. */
static bool is_valid(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    const struct keel_mpi_rank_address *sender = &job->address[message->from];
    const struct keel_mpi_message_view view = {
        .ranks = job->ranks,
        .nodes = job->nodes,
        .node = job->node,
        .leads = job->local == 0,
        .sender_node = sender->node,
        .sender_leads = sender->local == 0,
        .newest = job->loops,
        .ahead = KEEL_MPI_WINDOWS,
        .iterations = iterations_of(job, message->loop),
    };
    const char *problem = keel_mpi_message_problem(message, &view);

    if (problem != NULL && !job->channel.complained) {
        job->channel.complained = true;
        keel_message("rank %u has got a message of kind %u from rank %u, expected %s; it is "
                     "ignored, and so are others that can't be right",
                     job->rank, message->kind, message->from, problem);
    }
    return problem == NULL;
}

/* False: it is too early for it. */
static bool handle(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_loop *loop = find_loop(job, message->loop);

    if (message->kind == KEEL_MPI_MESSAGE_CLAIM) {
        return keel_mpi_counter_serve(job, message);
    }
    if (message->kind == KEEL_MPI_MESSAGE_REQUEST || message->kind == KEEL_MPI_MESSAGE_QUERY) {
        return keel_mpi_blocks_serve(job, message);
    }
    if (loop == NULL) {
        return false;
    }
    if (message->kind == KEEL_MPI_MESSAGE_COUNT) {
        add_count(loop, message);
    } else if (message->kind == KEEL_MPI_MESSAGE_END) {
        end_for_all(loop, (enum keel_mpi_window_end)message->left);
    } else {
        loop->claim_method->answer(loop, message);
    }
    return true;
}

/* Whoever asks early is told at once that there is nothing, and may get something later. */
static void answer_and_defer(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_message copy = *message;

    if (message->kind == KEEL_MPI_MESSAGE_REQUEST || message->kind == KEEL_MPI_MESSAGE_QUERY) {
        const struct keel_mpi_message nothing = {.kind = KEEL_MPI_MESSAGE_TRANSFER,
                                                 .loop = message->loop};
        keel_mpi_channel_send(&job->channel, message->from, &nothing);
        copy.measured = 1;
    }
    if (message->kind != KEEL_MPI_MESSAGE_QUERY) {
        defer(job, &copy);
    }
}

/* Whether the loop is over for this rank. */
static bool is_past(const struct keel_mpi_job *job, uint64_t number)
{
    const struct keel_mpi_loop *loop = job->running[number % KEEL_MPI_WINDOWS];

    return number <= job->loops && (loop == NULL || loop->number != number);
}

/* More is known of the loop than when it came. */
static bool is_invalid_now(struct keel_mpi_job *job, const struct keel_mpi_deferred *deferred)
{
    struct keel_mpi_message message = deferred->message;

    message.measured = message.kind == KEEL_MPI_MESSAGE_REQUEST
                           ? 0
                           : message.measured; /* see answer_and_defer() */
    return !is_valid(job, &message);
}

static void retry_deferred(struct keel_mpi_job *job)
{
    for (struct keel_mpi_deferred **link = &job->deferred; *link != NULL;) {
        struct keel_mpi_deferred *deferred = *link;
        if (is_past(job, deferred->message.loop) || is_invalid_now(job, deferred) ||
            handle(job, &deferred->message)) {
            *link = deferred->next;
            free(deferred);
        } else {
            link = &deferred->next;
        }
    }
}

/* Letters about loops that are over for this rank come late, and tell nothing new. But a rank that
 * still looks for iterations there waits for an answer. */
static void answer_late(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_message nothing = {.kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = message->loop};

    if (message->kind == KEEL_MPI_MESSAGE_CLAIM) {
        nothing.kind = KEEL_MPI_MESSAGE_GRANT;
        nothing.first = UINT64_MAX;
    } else if (message->kind != KEEL_MPI_MESSAGE_REQUEST &&
               message->kind != KEEL_MPI_MESSAGE_QUERY) {
        return;
    }
    keel_mpi_channel_send(&job->channel, message->from, &nothing);
}

/* Whether there were any. */
static bool read_messages(struct keel_mpi_job *job)
{
    struct keel_mpi_message message;
    bool any = false;

    retry_deferred(job);
    while (keel_mpi_channel_receive(&job->channel, &message)) {
        if (!is_valid(job, &message)) {
            continue;
        }
        if (is_past(job, message.loop)) {
            answer_late(job, &message);
        } else if (!handle(job, &message)) {
            answer_and_defer(job, &message);
        }
        any = true;
    }
    return any;
}

/* --- collective operations --- */

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

/* Ranks run different loops: they tell each other at once what they came with. */
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
        keel_mpi_agreement_report(loop);
    }
}

bool keel_mpi_loop_is_agreed(const struct keel_mpi_loop *loop)
{
    return loop->agreement == KEEL_MPI_AGREEMENT_MISMATCH
               ? loop->mismatch_reported
               : loop->agreement > KEEL_MPI_AGREEMENT_PENDING;
}

/* Asks all ranks whether they run the same loop, and goes on without waiting for the answer. */
static void agree(struct keel_mpi_loop *loop)
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

/* After a failure nothing is collective any more. */
void keel_mpi_loop_exchange(struct keel_mpi_loop *loop)
{
    if (!keel_mpi_loop_has_failed(loop)) {
        agree(loop);
    }
    if (!keel_mpi_loop_has_failed(loop)) {
        send_figures(loop);
    }
}

bool keel_mpi_loop_is_exchanged(struct keel_mpi_loop *loop)
{
    if (keel_mpi_loop_has_failed(loop)) {
        return true;
    }
    agree(loop);
    if (keel_mpi_loop_has_failed(loop)) {
        return true;
    }
    return keel_mpi_loop_is_agreed(loop) &&
           keel_mpi_channel_test(&loop->job->peers, &loop->figures_request);
}

/* --- between chunks --- */

bool keel_mpi_loop_has_failed(struct keel_mpi_loop *loop)
{
    int code = keel_mpi_job_code(loop->job);

    if (code != KEEL_MPI_OK && !loop->failed) {
        loop->failed = true;
        loop->code = loop->code != KEEL_MPI_OK ? loop->code : code;
        if (keel_mpi_loop_is_open(loop)) {
            keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_MISMATCH);
        }
    }
    return loop->failed;
}

#define CALM 64 /* looks until it matters how long others take */

bool keel_mpi_loop_wait_goes_on(struct keel_mpi_loop *loop, struct keel_mpi_wait_state *wait,
                                unsigned looks)
{
    if (looks < CALM) {
        return true;
    }
    keel_mpi_job_lock(loop->job);
    bool goes_on = keel_mpi_wait_goes_on(wait);
    keel_mpi_job_unlock(loop->job);
    return goes_on;
}

#define NOTICES_APART_S 0.1 /* notices of others are looked for so often, where nobody waits */

/* Whether anything has come. */
static bool make_progress(struct keel_mpi_loop *loop, struct keel_mpi_worker *worker)
{
    struct keel_mpi_job *job = loop->job;
    enum keel_mpi_agreement agreement = loop->agreement;
    enum keel_mpi_window_end end = keel_mpi_window_end(loop->window);

    keel_mpi_peers_poll_every(&job->peers, false, keel_mpi_clock_ns() * 1e-9, NOTICES_APART_S);
    if (keel_mpi_loop_has_failed(loop)) {
        return false;
    }
    agree(loop);
    if (job->nodes == 1) {
        return loop->agreement != agreement;
    }
    bool any = read_messages(job);
    if (worker != NULL && keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_RUNNING) {
        loop->claim_method->talk(worker);
    }
    if (is_leader(loop) && keel_mpi_loop_is_open(loop)) {
        count(loop);
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

#define PROGRESS_PART 8 /* messages are looked at this often in the time that answers may take */

/* Whether messages have not been looked at for so long. */
static bool is_time(const struct keel_mpi_loop *loop, double now_ns)
{
    double progress_ns = atomic_load_explicit(&loop->progress_ns, memory_order_relaxed);

    return now_ns - progress_ns >= loop->poll_ns / PROGRESS_PART;
}

/* Whether there may be something to say or to hear by now. */
static bool is_due(const struct keel_mpi_worker *worker)
{
    const struct keel_mpi_loop *loop = worker->loop;

    if (loop->job->nodes > 1) {
        return is_time(loop, worker->asked_ns);
    }
    return loop->agreement <= KEEL_MPI_AGREEMENT_PENDING ||
           worker->asked_ns * 1e-9 - loop->job->peers.polled_s > NOTICES_APART_S;
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
    make_progress(loop, worker);
    atomic_store_explicit(&loop->progress_ns, worker->asked_ns, memory_order_relaxed);
    keel_mpi_job_unlock(loop->job);
}
