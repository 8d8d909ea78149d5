/* Claims from blocks: each rank owns one initially; idle ranks steal from the ends of others.
 *
 * Ranks of one node steal from each other's ranges on the window, nodes by messages
 * (transfers.c). */
#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/loop/shared_loop.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/victim.h"

/* --- opening --- */

/* Whether blocks follow from measurements of earlier instances. */
static bool goes_by_record(const struct keel_mpi_loop *loop)
{
    return loop->schedule.kind == KEEL_RANKS_RATE && loop->record != NULL &&
           loop->record->instances > 0;
}

/* Returns the relative speed of a rank, set by the user. */
static double weight_of(uint32_t rank)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();

    return rank < settings->weights ? settings->weight[rank] : 1;
}

/* Blocks by the record: part[i] on this node's rank i, on which all ranks have agreed. The values
 * that are the same on all of them are added to the check. */
static bool divide_by_record(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_record *record = loop->record;
    const struct keel_rate_share *share = &record->own.share;

    for (uint32_t i = 0; i < loop->job->locals; i++) {
        loop->block[i][0] = keel_rate_share_iteration(record->part[i][0], loop->units);
        loop->block[i][1] = keel_rate_share_iteration(record->part[i][1], loop->units);
    }
    keel_mpi_loop_agree_on(loop, &share->instances, sizeof share->instances);
    keel_mpi_loop_agree_on(loop, &share->mean, sizeof share->mean);
    keel_mpi_loop_agree_on(loop, &share->gain, sizeof share->gain);
    return true;
}

static bool divide_equally(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;

    for (uint32_t i = 0; i < job->locals; i++) {
        uint32_t rank = job->ranks_by_node[job->node_first[job->node] + i];
        loop->block[i][0] = keel_amounts_equal_block(loop->units, job->ranks, rank);
        loop->block[i][1] = keel_amounts_equal_block(loop->units, job->ranks, rank + 1);
    }
    return true;
}

/* Adds all blocks to the check. False: no memory. */
static bool divide_by_weights(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    uint64_t *first = malloc((job->ranks + (size_t)1) * sizeof *first);
    double *weight = malloc(job->ranks * sizeof *weight);
    bool room = first != NULL && weight != NULL;

    for (uint32_t i = 0; room && i < job->ranks; i++) {
        weight[i] = weight_of(i);
    }
    if (room) {
        keel_amounts_first_blocks(loop->units, job->ranks, weight, first);
        keel_mpi_loop_agree_on(loop, first, (job->ranks + (size_t)1) * sizeof *first);
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

/* Fills in the blocks of the node's ranks. False: no memory. */
static bool divide_among_ranks(struct keel_mpi_loop *loop)
{
    if (!loop->schedule.equal_shares && goes_by_record(loop)) {
        return divide_by_record(loop);
    }
    return loop->schedule.equal_shares || keel_mpi_settings()->weights == 0
               ? divide_equally(loop)
               : divide_by_weights(loop);
}

/* The throughput of each node by its ranks' set weights (the cluster tree, PAPERS.md K1). Measured
 * speeds are in the blocks: these end at the same time, so that any tree is as good. */
static double *node_throughputs(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    double *throughput = calloc(job->nodes, sizeof *throughput);

    for (uint32_t i = 0; throughput != NULL && i < job->ranks; i++) {
        throughput[job->address[i].node] += weight_of(i);
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

/* Takes the last iteration, once no others are left. */
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
    return keel_mpi_node_steal(worker, first, last) || take_last(worker->loop, first, last);
}

static bool blocks_is_over(struct keel_mpi_loop *loop)
{
    if (keel_mpi_window_sums(loop->window).begun < loop->window->loop.iterations) {
        return false;
    }
    keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_OVER);
    return true;
}

static void blocks_request_ahead(struct keel_mpi_worker *worker)
{
    keel_mpi_transfers_request(worker->loop);
}

const struct keel_mpi_claim_method keel_mpi_claim_by_blocks = {
    .open = blocks_open,
    .refill = blocks_refill,
    .request_ahead = blocks_request_ahead,
    .answer = keel_mpi_transfers_take,
    .is_over = blocks_is_over,
};
