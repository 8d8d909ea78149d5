/* Blocks of ranks: each has one at first, and whoever runs dry takes over the end of another's.
 *
 * Ranks of one node cut it off each other's ranges on the window. When a whole node is about to run
 * dry, one of its ranks asks other nodes, whom victim.h says, before the last range is empty. Who
 * has nothing remembers who asked, for the cluster tree (how much, PAPERS.md K4), and hands on part
 * of what comes later; victims of the other methods are asked again after a while. */
#include "mpi_backend/loop/claim/blocks.h"

#include <math.h>
#include <stdlib.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/job_lock.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/loop/exchange/identity.h"
#include "mpi_backend/loop/exchange/messages.h"
#include "mpi_backend/loop/claim/rank_ranges.h"
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
    }
    keel_victim_begin(&loop->victims, victim_kind(loop), job->nodes, job->node, &loop->links,
                      loop->schedule.neighbours, loop->number);
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
                       : atomic_load_explicit(&window->dry, memory_order_relaxed) != 0;
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

/* --- asking other nodes --- */

#define PAUSE_MAX 16.0 /* times the time to get an answer */

/* Before there has been an answer: those that are asked are in mid-iteration, too. */
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

/* One rank asks for its node: the first one that sees the need. */
static bool is_requester(const struct keel_mpi_loop *loop)
{
    uint64_t none = 0, own = loop->job->local + 1;

    return atomic_compare_exchange_strong(&loop->window->requester, &none, own) || none == own;
}

static void ask(struct keel_mpi_loop *loop, uint32_t node, bool looks,
                const struct keel_mpi_window_sums *sums)
{
    loop->asked_ns = keel_mpi_clock_ns();
    keel_mpi_messages_send(
        loop, keel_mpi_job_rank_on(loop->job, node),
        (struct keel_mpi_message){.kind = looks ? KEEL_MPI_MESSAGE_QUERY : KEEL_MPI_MESSAGE_REQUEST,
                                  .left = sums->left,
                                  .speed = sums->speed});
}

/* A round was in vain. Those that remember will write; the others are asked again. */
static void pause_requests(struct keel_mpi_loop *loop)
{
    double least = answer_ns(loop);

    loop->waiting = true;
    atomic_store_explicit(&loop->window->dry, 1, memory_order_relaxed);
    loop->pause_ns = fmin(fmax(2 * loop->pause_ns, least), PAUSE_MAX * least);
    loop->resume_ns =
        loop->window->loop.remembers ? INFINITY : keel_mpi_clock_ns() + loop->pause_ns;
}

static void resume_requests(struct keel_mpi_loop *loop)
{
    loop->waiting = false;
    atomic_store_explicit(&loop->window->dry, 0, memory_order_relaxed);
    keel_victim_new_round(&loop->victims);
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
        ask(loop, step.worker, step.action == KEEL_VICTIM_LOOK, sums);
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
    }
    request_from_victims(loop, &sums);
}

/* --- giving --- */

/* Cuts what a node that asks should have; 0 iterations if nothing. What idle workers are about to
 * begin stays: otherwise an iteration could go round between nodes for ever. */
static void cut_for(struct keel_mpi_window *window, const struct keel_mpi_message *asked,
                    double delay_ns, struct keel_mpi_message *give)
{
    const struct keel_mpi_window_sums sums = keel_mpi_window_sums(window);
    uint64_t idle = atomic_load_explicit(&window->idle, memory_order_relaxed);
    const struct keel_amounts_side giver = {sums.left - min_u64(sums.left, idle), sums.speed};
    const struct keel_amounts_side worker = {asked->left, asked->speed};
    uint64_t amount = keel_amounts_to_transfer(&giver, &worker, delay_ns, window->loop.gamma);
    uint32_t fullest = keel_mpi_window_most_loaded(window, window->ranks);

    give->left = sums.left;
    give->speed = sums.speed;
    if (fullest != UINT32_MAX &&
        keel_mpi_window_cut(window, fullest, amount, &give->first, &give->last)) {
        give->left = sums.left - min_u64(sums.left, give->last - give->first);
    } else if (sums.left == 0 && asked->speed >= sums.speed) {
        keel_mpi_window_take_last(window, &give->first, &give->last);
    }
}

static void remember(struct keel_mpi_window *window, const struct keel_mpi_message *asked)
{
    uint64_t own = asked->from + 1;

    for (unsigned i = 0; i < KEEL_MPI_PENDING_REQUESTS; i++) {
        uint64_t rank = 0;
        if (atomic_compare_exchange_strong(&window->pending[i].rank, &rank, own) || rank == own) {
            atomic_store_explicit(&window->pending[i].speed, asked->speed, memory_order_relaxed);
            return;
        }
    }
}

/* Something has come: those that asked in vain get their part. */
static void serve_pending(struct keel_mpi_job *job, struct keel_mpi_window *window, uint64_t number)
{
    for (unsigned i = 0; i < KEEL_MPI_PENDING_REQUESTS; i++) {
        uint64_t rank = atomic_exchange(&window->pending[i].rank, 0);
        if (rank == 0) {
            continue;
        }
        const struct keel_mpi_message asked = {
            .from = (uint32_t)rank - 1,
            .speed = atomic_load_explicit(&window->pending[i].speed, memory_order_relaxed)};
        struct keel_mpi_message give = {
            .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = number, .measured = 1};
        cut_for(window, &asked, job->answer_ns / 2, &give);
        if (give.first < give.last) {
            keel_mpi_channel_send(&job->channel, asked.from, &give);
        } else {
            remember(window, &asked);
        }
    }
}

/* asked->measured: the message has been answered already, as the window was not open yet. */
bool keel_mpi_blocks_serve(struct keel_mpi_job *job, const struct keel_mpi_message *asked)
{
    struct keel_mpi_window *window = keel_mpi_job_window(job, asked->loop);
    struct keel_mpi_message give = {
        .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = asked->loop, .measured = asked->measured};

    if (!keel_mpi_window_is_open(window, asked->loop)) {
        return false;
    }
    if (asked->kind == KEEL_MPI_MESSAGE_QUERY) {
        give.left = keel_mpi_window_sums(window).left;
    } else {
        cut_for(window, asked, job->answer_ns / 2, &give);
    }
    bool gives = give.first < give.last;
    if (gives || !asked->measured) {
        keel_mpi_channel_send(&job->channel, asked->from, &give);
    }
    if (!gives && asked->kind == KEEL_MPI_MESSAGE_REQUEST && window->loop.remembers) {
        remember(window, asked);
    }
    return true;
}

/* --- getting --- */

static void blocks_answer(struct keel_mpi_loop *loop, const struct keel_mpi_message *give)
{
    bool asked = give->measured == 0, fits = give->last <= loop->units;
    uint64_t got = fits && give->last > give->first ? give->last - give->first : 0;

    if (asked) {
        keel_mpi_messages_note_answer(loop);
        keel_victim_answered(&loop->victims, loop->job->address[give->from].node, got, give->left);
    }
    if (got == 0) {
        return;
    }
    loop->migrations++;
    loop->migrated += got;
    keel_mpi_rank_ranges_add(loop, give->first, give->last);
    loop->pause_ns = 0;
    if (loop->waiting) {
        resume_requests(loop);
    }
    serve_pending(loop->job, loop->window, loop->number);
}

/* --- handing on --- */

/* A node that asked in vain, else the next one: every other node has a thread that may take it. */
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
    keel_mpi_messages_send(
        loop, next_owner(loop),
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_TRANSFER, .measured = 1, .first = first, .last = last});
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
