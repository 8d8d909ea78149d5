/* Claims from blocks: each rank owns one at first; idle ranks steal from the ends of others.
 *
 * Ranks of one node steal from each other's ranges on the window. Before a whole node is idle,
 * one of its ranks sends requests to other nodes, which schedules/balance/victim.h chooses.
 * Under the cluster tree a victim that has nothing keeps the request (how much a request gets,
 * PAPERS.md K4) and serves it when iterations come; victims of the other methods are asked again
 * after a pause. */
#include "mpi_backend/loop/claim/blocks.h"

#include <math.h>
#include <stdlib.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/job_lock.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/loop/claim/rank_ranges.h"
#include "mpi_backend/loop/exchange/identity.h"
#include "mpi_backend/loop/exchange/loop_events.h"
#include "mpi_backend/loop/exchange/messages.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/amounts.h"

/* --- opening --- */

/* Whether blocks follow from what earlier instances have shown. */
static bool goes_by_record(const struct keel_mpi_loop *loop)
{
    return loop->schedule.kind == KEEL_RANKS_RATE && loop->record != NULL &&
           loop->record->instances > 0;
}

/* Relative speed of a rank, as far as it is known beforehand. */
static double weight_of(const struct keel_mpi_loop *loop, uint32_t rank)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();

    if (goes_by_record(loop)) {
        return keel_blocks_speed(loop->record->balance, rank);
    }
    return rank < settings->weights ? settings->weight[rank] : 1;
}

/* Where the blocks of all ranks begin, of memory for ranks + 1 values. */
static void divide(const struct keel_mpi_loop *loop, uint64_t *first, double *weight)
{
    const struct keel_mpi_job *job = loop->job;

    if (loop->schedule.equal_shares) {
        keel_amounts_first_blocks(loop->units, job->ranks, NULL, first);
        return;
    }
    if (goes_by_record(loop)) {
        for (uint32_t i = 0; i <= job->ranks; i++) {
            first[i] = keel_blocks_first(loop->record->balance, i, loop->units);
        }
        return;
    }
    for (uint32_t i = 0; i < job->ranks; i++) {
        weight[i] = weight_of(loop, i);
    }
    keel_amounts_first_blocks(loop->units, job->ranks, weight, first);
}

/* The blocks of the node's ranks, and all of them in the check; false: no memory. */
static bool divide_among_ranks(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    uint64_t *first = malloc((job->ranks + 1) * sizeof *first);
    double *weight = malloc(job->ranks * sizeof *weight);
    bool room = first != NULL && weight != NULL;

    if (room) {
        divide(loop, first, weight);
        loop->check =
            keel_mpi_identity_mix(loop->check, first, (job->ranks + 1) * sizeof *first) | 1;
        for (uint32_t i = 0; i < job->locals; i++) {
            uint32_t rank = job->ranks_by_node[job->node_first[job->node] + i];
            loop->block[i][0] = first[rank];
            loop->block[i][1] = first[rank + 1];
        }
    }
    free(first);
    free(weight);
    return room;
}

/* A node's throughput by what is known of its ranks (the cluster tree, PAPERS.md K1). */
static double *node_throughputs(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    double *throughput = calloc(job->nodes, sizeof *throughput);

    for (uint32_t i = 0; throughput != NULL && i < job->ranks; i++) {
        throughput[job->address[i].node] += weight_of(loop, i);
    }
    return throughput;
}

static enum keel_victim_kind victim_kind(const struct keel_mpi_loop *loop)
{
    switch (loop->schedule.kind) {
    case KEEL_RANKS_STEAL:
        return KEEL_VICTIM_STEAL;
    case KEEL_RANKS_DIFFUSE:
        return KEEL_VICTIM_DIFFUSE;
    default:
        return KEEL_VICTIM_TREE;
    }
}

static bool blocks_open(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    bool room = true;

    if (!divide_among_ranks(loop)) {
        return false;
    }
    if (job->nodes > 1 && victim_kind(loop) == KEEL_VICTIM_TREE) {
        double *throughput = node_throughputs(loop);
        room = throughput != NULL &&
               keel_cluster_tree_links(job->nodes, throughput, job->node, realloc, &loop->links);
        free(throughput);
        keel_tree_links_keep(&loop->links, loop->schedule.links);
    }
    keel_victim_begin(&loop->victims, victim_kind(loop), job->nodes, job->node, &loop->links,
                      loop->schedule.neighbours, loop->number);
    keel_victim_use_lifelines(&loop->victims);
    if (loop->schedule.lowest_first) {
        keel_victim_lowest_first(&loop->victims);
    }
    return room;
}

/* --- on the node --- */

static bool steal(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
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

/* The last iteration, once there is nothing else. */
static bool take_last(struct keel_mpi_loop *loop, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_window *window = loop->window;

    if (!window->loop.keeps_last ||
        atomic_load_explicit(&window->last, memory_order_relaxed) == 0) {
        return false;
    }
    bool nothing = loop->job->nodes == 1
                       ? keel_mpi_window_sums(window).begun + 1 >= window->loop.iterations
                       : atomic_load_explicit(&window->others_empty, memory_order_relaxed) != 0;
    return nothing && keel_mpi_window_take_last(window, first, last);
}

static bool blocks_refill(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    return steal(worker, first, last) || take_last(worker->loop, first, last);
}

static bool blocks_is_over(struct keel_mpi_loop *loop)
{
    if (keel_mpi_window_sums(loop->window).begun < loop->window->loop.iterations) {
        return false;
    }
    keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_OVER);
    return true;
}

/* --- requests to other nodes --- */

#define PAUSE_MAX 16.0 /* times the time to get an answer */

/* Until the first answer, an estimate: victims answer between their chunks, too. */
static double answer_ns(const struct keel_mpi_loop *loop)
{
    if (loop->job->answer_ns > 0) {
        return loop->job->answer_ns;
    }
    return fmax(loop->poll_ns, 2 * keel_mpi_rank_ranges_pace(loop).mean_ns);
}

/* Whether the node will be done before an answer could come. */
static bool runs_out_soon(const struct keel_mpi_loop *loop, const struct keel_mpi_window_sums *sums)
{
    return sums->left == 0 ||
           (sums->speed > 0 && (double)sums->left / sums->speed < 2 * answer_ns(loop));
}

/* One rank sends requests for its node: the first one that sees the need. */
static bool is_requester(const struct keel_mpi_loop *loop)
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

/* All victims of a round had nothing. Lifelines that keep a request will send a transfer; others are
 * asked again after a pause. */
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

static void blocks_request_ahead(struct keel_mpi_worker *worker)
{
    struct keel_mpi_loop *loop = worker->loop;
    const struct keel_mpi_window_sums sums = keel_mpi_window_sums(loop->window);

    if (!runs_out_soon(loop, &sums) || !is_requester(loop)) {
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

/* Cuts what the requesting node should have; none if it should have nothing. What idle workers are
 * about to begin stays: otherwise an iteration could go round between nodes for ever. */
static void cut_for(struct keel_mpi_window *window, const struct keel_mpi_message_request *request,
                    double delay_ns, struct keel_mpi_message_transfer *transfer)
{
    const struct keel_mpi_window_sums sums = keel_mpi_window_sums(window);
    uint64_t idle = atomic_load_explicit(&window->idle, memory_order_relaxed);
    const struct keel_amounts_side victim = {sums.left - min_u64(sums.left, idle), sums.speed};
    const struct keel_amounts_side thief = {request->left, request->speed};
    uint64_t amount = keel_amounts_to_transfer(&victim, &thief, delay_ns, window->loop.gamma);
    uint32_t fullest = keel_mpi_window_most_loaded(window, window->ranks);

    transfer->left = sums.left;
    if (fullest != UINT32_MAX &&
        keel_mpi_window_cut(window, fullest, amount, &transfer->first, &transfer->last)) {
        transfer->left = sums.left - min_u64(sums.left, transfer->last - transfer->first);
    } else if (sums.left == 0 && request->speed >= sums.speed) {
        keel_mpi_window_take_last(window, &transfer->first, &transfer->last);
    }
}

/* Keeps the request of a rank, to serve it when iterations come; false: too many wait. */
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

/* Iterations have come: nodes whose requests were kept get their part. */
static void serve_pending(struct keel_mpi_job *job, struct keel_mpi_window *window, uint64_t number)
{
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

/* Who asked before the loop was open here has been told that its request is kept. */
static bool keeps(const struct keel_mpi_message_request *request, uint64_t left)
{
    return request->keep == KEEL_VICTIM_KEEP ||
           (request->keep == KEEL_VICTIM_KEEP_IF_EMPTY && (left == 0 || request->retried != 0));
}

/* tests/models/nodes.pml: serve */
bool keel_mpi_blocks_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message)
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
static void blocks_answer(struct keel_mpi_loop *loop, const struct keel_mpi_message *message)
{
    const struct keel_mpi_message_transfer *transfer = &message->transfer;
    bool fits = transfer->last <= loop->units;
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
    serve_pending(loop->job, loop->window, loop->number);
}

/* --- forwarding --- */

/* The rank of a kept request, else one of the next node: every other node has a thread that may
 * execute it. */
static uint32_t next_owner(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;

    for (unsigned i = 0; i < KEEL_MPI_PENDING_REQUESTS; i++) {
        uint64_t rank = atomic_exchange(&loop->window->pending[i].rank, 0);
        if (rank != 0) {
            return (uint32_t)rank - 1;
        }
    }
    return keel_mpi_job_rank_on(job, (job->node + 1) % job->nodes);
}

static void forward_range(struct keel_mpi_loop *loop, uint64_t first, uint64_t last)
{
    struct keel_mpi_message message = new_transfer(loop->number, true);

    message.transfer.first = first;
    message.transfer.last = last;
    keel_mpi_messages_send(loop, next_owner(loop), message);
}

void keel_mpi_blocks_forward(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    uint64_t first, last;

    if (loop->claim_method != &keel_mpi_claim_by_blocks || job->nodes == 1 || loop->threads > 1 ||
        !keel_mpi_job_try_lock(loop->job)) {
        return;
    }
    while (keel_mpi_window_cut(loop->window, job->local, UINT64_MAX, &first, &last)) {
        forward_range(loop, first, last);
    }
    while (loop->overflow.count > 0) {
        const struct keel_mpi_range *range = &loop->overflow.range[--loop->overflow.count];
        forward_range(loop, range->first, range->last);
    }
    keel_mpi_job_unlock(loop->job);
}

const struct keel_mpi_claim_method keel_mpi_claim_by_blocks = {
    .open = blocks_open,
    .refill = blocks_refill,
    .request_ahead = blocks_request_ahead,
    .answer = blocks_answer,
    .is_over = blocks_is_over,
};
