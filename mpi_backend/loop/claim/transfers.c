/* Iterations from rank to rank: a rank's ranges; steals within a node; and messages between nodes:
 * the owner of a counter answers claims, victims answer requests. */
#include "mpi_backend/loop/shared_loop.h"

#include <math.h>

#include "mpi_backend/job/job.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "mpi_backend/process/mpi_process.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/victim.h"

/* --- the rank's ranges --- */

struct keel_pace keel_mpi_rank_ranges_pace(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_window_range *range =
        keel_mpi_window_ranges(loop->window, loop->job->local);
    double speed = 0, variance = 0, threads = 0;

    for (unsigned i = KEEL_MPI_RANGE_THREADS; i < KEEL_MPI_RANK_RANGES; i++) {
        const struct keel_pace pace = keel_mpi_window_pace(&range[i].pace);
        if (pace.mean_ns > 0) {
            speed += 1 / pace.mean_ns;
            variance += pace.variance_ns2;
            threads++;
        }
    }
    if (threads == 0) {
        return (struct keel_pace){0};
    }
    /* each thread has k / threads of k iterations: variances add up to that of one thread /
     * threads^2 */
    return (struct keel_pace){1 / speed, variance / (threads * threads * threads)};
}

/* Uses any empty range, so that a rank may begin a later grant before an earlier one, also with one
 * thread. No guarantee depends on their order: threads of a shared loop get iterations in any
 * order, as stolen ones are from anywhere. But the loop's last iteration is the last one of its
 * thread: that takes no more, and a rank of one thread forwards what it still holds (forwarding,
 * below). */
void keel_mpi_rank_ranges_add(struct keel_mpi_loop *loop, uint64_t first, uint64_t last)
{
    struct keel_mpi_window_range *range = keel_mpi_window_ranges(loop->window, loop->job->local);

    if (loop->window->loop.keeps_last && last == loop->units) {
        atomic_store(&loop->window->last, 1);
        atomic_store(&loop->window->others_empty, 1);
        return;
    }
    unsigned ranges = keel_mpi_rank_ranges_in_use(loop);
    for (unsigned i = 1; i <= ranges; i++) {
        if (keel_mpi_window_range_fill(loop->window, &range[i % ranges], first, last)) {
            return;
        }
    }
    keel_mpi_range_list_note(&loop->overflow, first, last);
    atomic_store_explicit(&loop->overflows, true, memory_order_relaxed);
}

/* --- steals between the ranks of a node --- */

bool keel_mpi_node_steal(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;
    struct keel_mpi_window *window = loop->window;
    uint32_t own = loop->job->local, victim = keel_mpi_window_most_loaded(window, own);

    if (victim == UINT32_MAX) {
        return false;
    }
    const struct keel_amounts_side giver = {keel_mpi_window_left(window, victim),
                                            keel_mpi_window_speed(window, victim)};
    const struct keel_amounts_side to = {0, keel_mpi_window_speed(window, own)};
    uint64_t amount = keel_amounts_to_transfer(&giver, &to, 0, window->loop.gamma);
    if (!keel_mpi_window_cut(window, victim, amount, first, last)) {
        return false;
    }
    worker->migrations++;
    worker->migrated += *last - *first;
    if (loop->observed != NULL) {
        const struct keel_mpi_job *job = loop->job;
        uint32_t from = job->ranks_by_node[job->node_first[job->node] + victim];
        keel_mpi_loop_event_move(loop, from, *first, *last, 0);
    }
    return true;
}

/* --- paces of all ranks --- */

void keel_mpi_grants_publish_pace(struct keel_mpi_window *window, uint32_t rank,
                                  struct keel_pace pace)
{
    keel_mpi_window_set_pace(&keel_mpi_window_paces(window)[rank], pace);
}

struct keel_paces keel_mpi_grants_paces(struct keel_mpi_window *window)
{
    struct keel_paces paces = {0};

    for (uint32_t i = 0; i < window->job_ranks; i++) {
        const struct keel_pace pace = keel_mpi_window_pace(&keel_mpi_window_paces(window)[i]);
        keel_timing_join(&paces, &pace);
    }
    return paces;
}

/* --- serving --- */

/* A size that was computed when less had been claimed shrinks with the remaining iterations. */
static uint64_t scaled(uint64_t size, uint64_t known, uint64_t seen, uint64_t iterations)
{
    if (seen <= known || seen >= iterations) {
        return size;
    }
    double part = (double)(iterations - seen) / (double)(iterations - known);
    return max_u64(1, (uint64_t)ceil((double)size * part));
}

static void grant_sized(struct keel_mpi_window *window, const struct keel_mpi_message_claim *claim,
                        struct keel_mpi_message_grant *grant)
{
    uint64_t iterations = window->loop.iterations;
    uint64_t seen = atomic_load_explicit(&window->next, memory_order_relaxed), end;

    do {
        uint64_t size = scaled(claim->amount, claim->known, seen, iterations);
        end = seen >= iterations ? seen : seen + min_u64(size, iterations - seen);
    } while (!atomic_compare_exchange_weak_explicit(&window->next, &seen, end, memory_order_relaxed,
                                                    memory_order_relaxed));
    grant->first = seen;
    grant->amount = end - seen;
}

/* The counter stops at the largest number, which no last iteration has: it never wraps, however
 * large claims are. Only the claiming rank knows what is counted, and its end: the loop may not
 * have begun here. */
static void grant_amount(struct keel_mpi_window *window, uint64_t amount,
                         struct keel_mpi_message_grant *grant)
{
    uint64_t seen = atomic_load_explicit(&window->next, memory_order_relaxed);

    do {
        grant->amount = min_u64(amount, UINT64_MAX - seen);
    } while (!atomic_compare_exchange_weak_explicit(&window->next, &seen, seen + grant->amount,
                                                    memory_order_relaxed, memory_order_relaxed));
    grant->first = seen;
}

/* Publishes the paces of this node's ranks, which send no messages. */
static void publish_own(struct keel_mpi_job *job, struct keel_mpi_window *window)
{
    for (uint32_t i = 0; i < job->locals; i++) {
        uint32_t rank = job->ranks_by_node[job->node_first[job->node] + i];
        double speed = keel_mpi_window_speed(window, i);
        if (speed > 0) {
            keel_mpi_grants_publish_pace(window, rank, (struct keel_pace){.mean_ns = 1 / speed});
        }
    }
}

/* Whether claims of that loop are for steps of a plan, if this rank has opened it. */
static bool claims_steps(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    const struct keel_mpi_loop *loop = keel_mpi_loop_find(job, message->loop);

    return loop != NULL && loop->plan != NULL && loop->spec.schedule->claim == KEEL_CLAIM_STEPS;
}

/* The amount of a claim; of steps, reduced as it was computed when less had been claimed. */
static uint64_t steps_of(struct keel_mpi_job *job, const struct keel_mpi_message *message,
                         uint64_t seen)
{
    const struct keel_mpi_loop *loop = keel_mpi_loop_find(job, message->loop);
    const struct keel_mpi_message_claim *claim = &message->claim;

    return claims_steps(job, message) ? scaled(claim->amount, claim->known, seen, loop->plan->steps)
                                      : claim->amount;
}

bool keel_mpi_grants_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_window *window = keel_mpi_job_window(job, message->loop);
    const struct keel_mpi_message_claim *claim = &message->claim;
    struct keel_mpi_message answer = {.kind = KEEL_MPI_MESSAGE_GRANT, .loop = message->loop};
    struct keel_mpi_message_grant *grant = &answer.grant;

    if (!keel_mpi_window_is_open(window, message->loop)) {
        return false;
    }
    *grant = (struct keel_mpi_message_grant){.looks_ns =
                                                 keel_mpi_window_iteration_ns(window, job->local)};
    keel_mpi_grants_publish_pace(window, message->from, claim->pace);
    if (claim->known == 0) { /* its first claim */
        atomic_fetch_add_explicit(&window->claimants, 1, memory_order_relaxed);
    }
    if (claim->sized) {
        grant_sized(window, claim, grant);
    } else {
        grant_amount(
            window,
            steps_of(job, message, atomic_load_explicit(&window->next, memory_order_relaxed)),
            grant);
    }
    if (claim->wants_paces) {
        if (claims_steps(job, message)) {
            publish_own(job, window);
        }
        grant->paces = keel_mpi_grants_paces(window);
    }
    keel_mpi_channel_send(&job->channel, message->from, &answer);
    return true;
}

/* --- transfers ---
 *
 * Iterations that move between nodes, requested by messages.
 *
 * Before a whole node is idle, one of its ranks sends requests to other nodes, which
 * schedules/balance/victim.h chooses. A victim gives the end of a range that no worker there has
 * begun (how much: PAPERS.md K4). A victim without iterations may keep the request (lifelines, L1)
 * and serves it when iterations arrive; other victims are asked again after a pause. */

/* --- requests to other nodes --- */

#define PAUSE_MAX 16.0 /* times the time to get an answer */

/* The mean time of answers; estimated before the first one: victims answer between chunks, too. */
static double answer_ns(const struct keel_mpi_loop *loop)
{
    if (loop->job->answer_ns > 0) {
        return loop->job->answer_ns;
    }
    return fmax(loop->poll_ns, 2 * keel_mpi_rank_ranges_pace(loop).mean_ns);
}

/* Whether the node will be done before an answer could arrive. */
static bool runs_out_soon(const struct keel_mpi_loop *loop, const struct keel_mpi_window_sums *sums)
{
    return sums->left == 0 ||
           (sums->speed > 0 && (double)sums->left / sums->speed < 2 * answer_ns(loop));
}

/* One rank sends requests for its node: the first one that needs to. */
static bool become_requester(const struct keel_mpi_loop *loop)
{
    uint64_t none = 0, own = loop->job->local + 1;

    return atomic_compare_exchange_strong(&loop->window->requester, &none, own) || none == own;
}

/* tests/models/nodes.pml: request */
static void ask(struct keel_mpi_loop *loop, const struct keel_victim_step *step,
                const struct keel_mpi_window_sums *sums)
{
    bool looks = step->action == KEEL_VICTIM_LOOK;

    keel_mpi_messages_send(
        loop, keel_mpi_job_rank_on(loop->job, step->worker),
        (struct keel_mpi_message){.kind = looks ? KEEL_MPI_MESSAGE_QUERY : KEEL_MPI_MESSAGE_REQUEST,
                                  .request = {.left = sums->left,
                                              .speed = sums->speed,
                                              .sent_ns = keel_mpi_clock_ns(),
                                              .keep = step->keep}});
}

/* No victim of a round had iterations. Lifelines that keep a request will send a transfer; others
 * are asked again after a pause. */
static void pause_requests(struct keel_mpi_loop *loop)
{
    double least = answer_ns(loop);

    loop->waiting = true;
    atomic_store_explicit(&loop->window->others_empty, 1, memory_order_relaxed);
    loop->pause_ns = fmin(fmax(2 * loop->pause_ns, least), PAUSE_MAX * least);
    loop->resume_ns = keel_victim_is_kept_by_all(&loop->victims)
                          ? INFINITY
                          : keel_mpi_clock_ns() + loop->pause_ns;
}

static void resume_requests(struct keel_mpi_loop *loop)
{
    loop->waiting = false;
    atomic_store_explicit(&loop->window->others_empty, 0, memory_order_relaxed);
}

static void request_from_victims(struct keel_mpi_loop *loop,
                                 const struct keel_mpi_window_sums *sums)
{
    for (;;) {
        struct keel_victim_step step = keel_victim_next(&loop->victims);
        if (step.action == KEEL_VICTIM_PENDING) {
            return;
        }
        if (step.action == KEEL_VICTIM_WAIT) {
            pause_requests(loop);
            return;
        }
        ask(loop, &step, sums);
    }
}

void keel_mpi_transfers_request(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_window_sums sums = keel_mpi_window_sums(loop->window);

    if (!runs_out_soon(loop, &sums) || !become_requester(loop)) {
        return;
    }
    if (loop->waiting && keel_mpi_clock_ns() < loop->resume_ns) {
        return;
    }
    if (loop->waiting) {
        resume_requests(loop);
        keel_victim_ask_again(&loop->victims);
    }
    request_from_victims(loop, &sums);
}

/* --- serving requests --- */

/* Cuts the iterations that the requesting node should get, if any. Those that idle workers are
 * about to begin stay: otherwise an iteration could move between nodes for ever. */
static void cut_for(struct keel_mpi_window *window, const struct keel_mpi_message_request *request,
                    double delay_ns, struct keel_mpi_message_transfer *transfer)
{
    const struct keel_mpi_window_sums sums = keel_mpi_window_sums(window);
    uint64_t idle = atomic_load_explicit(&window->idle, memory_order_relaxed);
    const struct keel_amounts_side victim = {sums.left - min_u64(sums.left, idle), sums.speed};
    const struct keel_amounts_side thief = {request->left, request->speed};
    uint64_t amount = keel_amounts_to_transfer(&victim, &thief, delay_ns, window->loop.gamma);
    uint32_t fullest = keel_mpi_window_most_loaded(window, window->ranks);

    transfer->check = window->loop.check;
    transfer->left = sums.left;
    if (fullest != UINT32_MAX &&
        keel_mpi_window_cut(window, fullest, amount, &transfer->first, &transfer->last)) {
        transfer->left = sums.left - min_u64(sums.left, transfer->last - transfer->first);
    } else if (sums.left == 0 && request->speed >= sums.speed) {
        keel_mpi_window_take_last(window, &transfer->first, &transfer->last);
    }
}

/* Keeps the request of a rank, to serve it when iterations arrive. False: too many wait. */
static bool keep_request(struct keel_mpi_window *window, uint32_t from, double speed)
{
    uint64_t own = from + (uint64_t)1;

    for (unsigned i = 0; i < KEEL_MPI_PENDING_REQUESTS; i++) {
        uint64_t rank = 0;
        if (atomic_compare_exchange_strong(&window->pending[i].rank, &rank, own) || rank == own) {
            atomic_store_explicit(&window->pending[i].speed, speed, memory_order_relaxed);
            return true;
        }
    }
    return false;
}

static struct keel_mpi_message new_transfer(uint64_t loop, bool unasked)
{
    return (struct keel_mpi_message){
        .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = loop, .transfer = {.unasked = unasked}};
}

static bool has_iterations(const struct keel_mpi_message *message)
{
    return message->transfer.first < message->transfer.last;
}

void keel_mpi_transfers_serve_kept(struct keel_mpi_job *job, uint64_t number)
{
    struct keel_mpi_window *window = keel_mpi_job_window(job, number);

    for (unsigned i = 0; i < KEEL_MPI_PENDING_REQUESTS; i++) {
        uint64_t rank = atomic_exchange(&window->pending[i].rank, 0);
        if (rank == 0) {
            continue;
        }
        const struct keel_mpi_message_request request = {
            .speed = atomic_load_explicit(&window->pending[i].speed, memory_order_relaxed)};
        struct keel_mpi_message answer = new_transfer(number, true);
        cut_for(window, &request, job->answer_ns / 2, &answer.transfer);
        if (has_iterations(&answer)) {
            keel_mpi_channel_send(&job->channel, (uint32_t)rank - 1, &answer);
        } else {
            keep_request(window, (uint32_t)rank - 1, request.speed);
        }
    }
}

/* Whether to keep a request. A rank that asked before the loop was open here knows that we do. */
static bool keeps(const struct keel_mpi_message_request *request, uint64_t left)
{
    return request->keep == KEEL_VICTIM_KEEP ||
           (request->keep == KEEL_VICTIM_KEEP_IF_EMPTY && (left == 0 || request->retried != 0));
}

/* tests/models/nodes.pml: serve */
bool keel_mpi_transfers_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_window *window = keel_mpi_job_window(job, message->loop);
    const struct keel_mpi_message_request *request = &message->request;
    struct keel_mpi_message answer = new_transfer(message->loop, request->retried != 0);

    answer.transfer.sent_ns = request->sent_ns;
    if (!keel_mpi_window_is_open(window, message->loop)) {
        return false;
    }
    if (message->kind == KEEL_MPI_MESSAGE_QUERY) {
        answer.transfer.left = keel_mpi_window_sums(window).left;
    } else {
        cut_for(window, request, job->answer_ns / 2, &answer.transfer);
    }
    bool gives = has_iterations(&answer);
    if (!gives && keeps(request, answer.transfer.left)) {
        answer.transfer.kept = keep_request(window, message->from, request->speed);
    }
    if (gives || !request->retried) {
        keel_mpi_channel_send(&job->channel, message->from, &answer);
    }
    return true;
}

/* --- receiving transfers --- */

/* tests/models/nodes.pml: take */
void keel_mpi_transfers_take(struct keel_mpi_loop *loop, const struct keel_mpi_message *message)
{
    const struct keel_mpi_message_transfer *transfer = &message->transfer;
    /* as ranks may not have agreed yet: iterations of another loop may be those that this rank has
     * executed itself; their sender executes them in the end */
    bool fits = transfer->last <= loop->units && transfer->check == loop->check;
    uint64_t got = fits && has_iterations(message) ? transfer->last - transfer->first : 0;
    uint32_t node = loop->job->address[message->from].node;

    if (!transfer->unasked) {
        keel_mpi_messages_note_answer(loop, transfer->sent_ns);
        keel_victim_answered(&loop->victims, node, got, transfer->left, transfer->kept != 0);
    } else if (got > 0) {
        keel_victim_shared(&loop->victims, node);
    }
    if (got == 0) {
        return;
    }
    loop->migrations++;
    loop->migrated += got;
    if (loop->observed != NULL) {
        keel_mpi_loop_event_move(loop, message->from, transfer->first, transfer->last,
                                 sizeof *message);
    }
    keel_mpi_rank_ranges_add(loop, transfer->first, transfer->last);
    loop->pause_ns = 0;
    if (loop->waiting) {
        resume_requests(loop);
        keel_victim_new_round(&loop->victims);
    }
    keel_mpi_transfers_serve_kept(loop->job, loop->number);
}

/* --- forwarding --- */

/* Returns the rank of a kept request, or one of another node, which may execute the range. Under a
 * counter that is on the home node, which has joined the loop, as it has granted a claim. */
static uint32_t next_owner(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;

    for (unsigned i = 0; i < KEEL_MPI_PENDING_REQUESTS; i++) {
        uint64_t rank = atomic_exchange(&loop->window->pending[i].rank, 0);
        if (rank != 0) {
            return (uint32_t)rank - 1;
        }
    }
    bool has_come = loop->claim_method == &keel_mpi_claim_by_counter && job->node != 0;
    return keel_mpi_job_rank_on(job, has_come ? 0 : (job->node + 1) % job->nodes);
}

static void forward_range(struct keel_mpi_loop *loop, uint64_t first, uint64_t last)
{
    struct keel_mpi_message message = new_transfer(loop->number, true);

    message.transfer.first = first;
    message.transfer.last = last;
    message.transfer.check = loop->check;
    keel_mpi_messages_send(loop, next_owner(loop), message);
}

void keel_mpi_transfers_forward(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    uint64_t first, last;

    if (job->nodes == 1 || !keel_mpi_job_try_lock(loop->job)) {
        return;
    }
    /* other threads of a team take from ranges, but not from the overflow */
    while (loop->threads == 1 &&
           keel_mpi_window_cut(loop->window, job->local, UINT64_MAX, &first, &last)) {
        forward_range(loop, first, last);
    }
    while (loop->overflow.count > 0) {
        const struct keel_mpi_range *range = &loop->overflow.range[--loop->overflow.count];
        forward_range(loop, range->first, range->last);
    }
    keel_mpi_job_unlock(loop->job);
}
