/* Blocks of ranks: each has one at first, and whoever runs dry takes over the end of another's.
 *
 * Ranks of one node cut it off each other's cells on the board. When a whole node is about to run
 * dry, one of its ranks asks other nodes, whom victim.h says, before the last cell is empty. Who has
 * nothing remembers who asked, for the cluster tree (how much, PAPERS.md K4), and hands on part of
 * what comes later; victims of the other methods are asked again after a while. */
#include <math.h>
#include <stdlib.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/loop/loop.h"
#include "schedules/balance/amounts.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- opening --- */

/* A node's throughput by what is known of its ranks (the cluster tree, PAPERS.md K1). */
static double *node_throughputs(const struct keel_mpi_loop *loop)
{
    const struct keel_job *job = loop->job;
    double *throughput = calloc(job->nodes, sizeof *throughput);

    for (uint32_t i = 0; throughput != NULL && i < job->ranks; i++) {
        throughput[job->address[i].node] += keel_loop_weight(loop, i);
    }
    return throughput;
}

static enum keel_seek_kind seek_kind(const struct keel_mpi_loop *loop)
{
    switch (loop->schedule.kind) {
    case KEEL_MPI_STEAL:
        return KEEL_SEEK_STEAL;
    case KEEL_MPI_DIFFUSE:
        return KEEL_SEEK_DIFFUSE;
    default:
        return KEEL_SEEK_TREE;
    }
}

static bool blocks_open(struct keel_mpi_loop *loop)
{
    const struct keel_job *job = loop->job;
    bool room = true;

    if (job->nodes > 1 && seek_kind(loop) == KEEL_SEEK_TREE) {
        double *throughput = node_throughputs(loop);
        room = throughput != NULL &&
               keel_cluster_tree_links(job->nodes, throughput, job->node, realloc, &loop->links);
        free(throughput);
    }
    keel_seek_begin(&loop->seek, seek_kind(loop), job->nodes, job->node, &loop->links,
                    loop->schedule.neighbours, loop->number);
    return room;
}

/* --- on the node --- */

static bool rob(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;
    struct keel_board *board = loop->board;
    uint32_t own = loop->job->local, victim = keel_board_fullest(board, own);

    if (victim == UINT32_MAX) {
        return false;
    }
    const struct keel_migration_side giver = {keel_board_left(board, victim),
                                              keel_board_speed(board, victim)};
    const struct keel_migration_side to = {0, keel_board_speed(board, own)};
    uint64_t amount = keel_migration_amount(&giver, &to, 0, board->loop.gamma);
    if (!keel_board_cut(board, victim, amount, first, last)) {
        return false;
    }
    taker->migrations++;
    taker->migrated += *last - *first;
    return true;
}

/* The last iteration, once there is nothing else. */
static bool take_last(struct keel_mpi_loop *loop, uint64_t *first, uint64_t *last)
{
    struct keel_board *board = loop->board;

    if (!board->loop.keeps_last || atomic_load_explicit(&board->last, memory_order_relaxed) == 0) {
        return false;
    }
    bool nothing = loop->job->nodes == 1
                       ? keel_board_sums(board).begun + 1 >= board->loop.iterations
                       : atomic_load_explicit(&board->dry, memory_order_relaxed) != 0;
    return nothing && keel_board_take_last(board, first, last);
}

static bool blocks_refill(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    return rob(taker, first, last) || take_last(taker->loop, first, last);
}

/* --- asking other nodes --- */

#define PAUSE_MAX 16.0 /* times the time to get an answer */

/* Before there has been an answer: those that are asked are in mid-iteration, too. */
static double answer_ns(const struct keel_mpi_loop *loop)
{
    if (loop->job->answer_ns > 0) {
        return loop->job->answer_ns;
    }
    return fmax(loop->poll_ns, 2 * keel_loop_pace(loop).mean_ns);
}

/* Whether the node will be done before an answer could come. */
static bool runs_dry(const struct keel_mpi_loop *loop, const struct keel_board_sums *sums)
{
    return sums->left == 0 ||
           (sums->speed > 0 && (double)sums->left / sums->speed < 2 * answer_ns(loop));
}

/* One rank asks for its node: the first one that sees the need. */
static bool is_asker(const struct keel_mpi_loop *loop)
{
    uint64_t none = 0, own = loop->job->local + 1;

    return atomic_compare_exchange_strong(&loop->board->asker, &none, own) || none == own;
}

static void ask(struct keel_mpi_loop *loop, uint32_t node, bool looks,
                const struct keel_board_sums *sums)
{
    loop->asked_ns = keel_mpi_clock_ns();
    keel_loop_send(loop, keel_job_rank_on(loop->job, node),
                   (struct keel_letter){.kind = looks ? KEEL_LETTER_LOOK : KEEL_LETTER_ASK,
                                        .left = sums->left,
                                        .speed = sums->speed});
}

/* A round was in vain. Those that remember will write; the others are asked again. */
static void pause_asking(struct keel_mpi_loop *loop)
{
    double least = answer_ns(loop);

    loop->waiting = true;
    atomic_store_explicit(&loop->board->dry, 1, memory_order_relaxed);
    loop->pause_ns = fmin(fmax(2 * loop->pause_ns, least), PAUSE_MAX * least);
    loop->resume_ns = loop->board->loop.remembers ? INFINITY : keel_mpi_clock_ns() + loop->pause_ns;
}

static void ask_again(struct keel_mpi_loop *loop)
{
    loop->waiting = false;
    atomic_store_explicit(&loop->board->dry, 0, memory_order_relaxed);
    keel_seek_again(&loop->seek);
}

static void seek(struct keel_mpi_loop *loop, const struct keel_board_sums *sums)
{
    for (;;) {
        struct keel_seek_step step = keel_seek_next(&loop->seek);
        if (step.act == KEEL_SEEK_PENDING) {
            return;
        }
        if (step.act == KEEL_SEEK_WAIT) {
            pause_asking(loop);
            return;
        }
        ask(loop, step.worker, step.act == KEEL_SEEK_LOOK, sums);
    }
}

static void blocks_talk(struct keel_taker *taker)
{
    struct keel_mpi_loop *loop = taker->loop;
    const struct keel_board_sums sums = keel_board_sums(loop->board);

    if (!runs_dry(loop, &sums) || !is_asker(loop)) {
        return;
    }
    if (loop->waiting && keel_mpi_clock_ns() < loop->resume_ns) {
        return;
    }
    if (loop->waiting) {
        ask_again(loop);
    }
    seek(loop, &sums);
}

/* --- giving --- */

/* Cuts what a node that asks should have; 0 iterations if nothing. What idle takers are about to
 * begin stays: otherwise an iteration could go round between nodes for ever. */
static void cut_for(struct keel_board *board, const struct keel_letter *asked, double delay_ns,
                    struct keel_letter *give)
{
    const struct keel_board_sums sums = keel_board_sums(board);
    uint64_t idle = atomic_load_explicit(&board->idle, memory_order_relaxed);
    const struct keel_migration_side giver = {sums.left - min_u64(sums.left, idle), sums.speed};
    const struct keel_migration_side taker = {asked->left, asked->speed};
    uint64_t amount = keel_migration_amount(&giver, &taker, delay_ns, board->loop.gamma);
    uint32_t fullest = keel_board_fullest(board, board->ranks);

    give->left = sums.left;
    give->speed = sums.speed;
    if (fullest != UINT32_MAX &&
        keel_board_cut(board, fullest, amount, &give->first, &give->last)) {
        give->left = sums.left - min_u64(sums.left, give->last - give->first);
    } else if (sums.left == 0 && asked->speed >= sums.speed) {
        keel_board_take_last(board, &give->first, &give->last);
    }
}

static void remember(struct keel_board *board, const struct keel_letter *asked)
{
    uint64_t own = asked->from + 1;

    for (unsigned i = 0; i < KEEL_WAITERS; i++) {
        uint64_t rank = 0;
        if (atomic_compare_exchange_strong(&board->waiter[i].rank, &rank, own) || rank == own) {
            atomic_store_explicit(&board->waiter[i].speed, asked->speed, memory_order_relaxed);
            return;
        }
    }
}

/* Something has come: those that asked in vain get their part. */
static void serve_waiters(struct keel_job *job, struct keel_board *board, uint64_t number)
{
    for (unsigned i = 0; i < KEEL_WAITERS; i++) {
        uint64_t rank = atomic_exchange(&board->waiter[i].rank, 0);
        if (rank == 0) {
            continue;
        }
        const struct keel_letter asked = {
            .from = (uint32_t)rank - 1,
            .speed = atomic_load_explicit(&board->waiter[i].speed, memory_order_relaxed)};
        struct keel_letter give = {.kind = KEEL_LETTER_GIVE, .loop = number, .measured = 1};
        cut_for(board, &asked, job->answer_ns / 2, &give);
        if (give.first < give.last) {
            keel_post_send(&job->post, asked.from, &give);
        } else {
            remember(board, &asked);
        }
    }
}

/* asked->measured: the letter has been answered already, as the board was not open yet. */
bool keel_blocks_serve(struct keel_job *job, const struct keel_letter *asked)
{
    struct keel_board *board = keel_job_board(job, asked->loop);
    struct keel_letter give = {
        .kind = KEEL_LETTER_GIVE, .loop = asked->loop, .measured = asked->measured};

    if (!keel_board_is_open(board, asked->loop)) {
        return false;
    }
    if (asked->kind == KEEL_LETTER_LOOK) {
        give.left = keel_board_sums(board).left;
    } else {
        cut_for(board, asked, job->answer_ns / 2, &give);
    }
    bool gives = give.first < give.last;
    if (gives || !asked->measured) {
        keel_post_send(&job->post, asked->from, &give);
    }
    if (!gives && asked->kind == KEEL_LETTER_ASK && board->loop.remembers) {
        remember(board, asked);
    }
    return true;
}

/* --- getting --- */

static void blocks_answer(struct keel_mpi_loop *loop, const struct keel_letter *give)
{
    bool asked = give->measured == 0, fits = give->last <= loop->units;
    uint64_t got = fits && give->last > give->first ? give->last - give->first : 0;

    if (asked) {
        keel_loop_time_answer(loop);
        keel_seek_told(&loop->seek, loop->job->address[give->from].node, got, give->left);
    }
    if (got == 0) {
        return;
    }
    loop->migrations++;
    loop->migrated += got;
    keel_loop_arrive(loop, give->first, give->last);
    loop->pause_ns = 0;
    if (loop->waiting) {
        ask_again(loop);
    }
    serve_waiters(loop->job, loop->board, loop->number);
}

/* --- handing on --- */

/* A node that asked in vain, else the next one: every other node has a thread that may take it. */
static uint32_t next_owner(struct keel_mpi_loop *loop)
{
    const struct keel_job *job = loop->job;

    for (unsigned i = 0; i < KEEL_WAITERS; i++) {
        uint64_t rank = atomic_exchange(&loop->board->waiter[i].rank, 0);
        if (rank != 0) {
            return (uint32_t)rank - 1;
        }
    }
    return keel_job_rank_on(job, (job->node + 1) % job->nodes);
}

static void hand_on(struct keel_mpi_loop *loop, uint64_t first, uint64_t last)
{
    keel_loop_send(loop, next_owner(loop),
                   (struct keel_letter){
                       .kind = KEEL_LETTER_GIVE, .measured = 1, .first = first, .last = last});
}

void keel_blocks_hand_on(struct keel_mpi_loop *loop)
{
    const struct keel_job *job = loop->job;
    uint64_t first, last;

    if (loop->claiming != &keel_claiming_blocks || job->nodes == 1 || loop->threads > 1 ||
        !keel_job_try_hold(loop->job)) {
        return;
    }
    while (keel_board_cut(loop->board, job->local, UINT64_MAX, &first, &last)) {
        hand_on(loop, first, last);
    }
    while (loop->overflow.count > 0) {
        const struct keel_mpi_range *range = &loop->overflow.range[--loop->overflow.count];
        hand_on(loop, range->first, range->last);
    }
    keel_job_release(loop->job);
}

const struct keel_claiming keel_claiming_blocks = {
    .open = blocks_open,
    .refill = blocks_refill,
    .talk = blocks_talk,
    .answer = blocks_answer,
};
