/* The pipeline model, and pipelines beside others in turns. */
#include "schedules/model/pipeline.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/arithmetic/arithmetic.h"

/* A copy with impossible times set to 0. */
static struct keel_pipeline sound(const struct keel_pipeline *pipeline)
{
    struct keel_pipeline result = *pipeline;

    result.sequential_s = fmax(0, result.sequential_s);
    result.fixed_s = fmax(0, result.fixed_s);
    result.incr_s = fmax(0, result.incr_s);
    return result;
}

double keel_pipeline_bound(double blocks, uint32_t workers)
{
    return blocks / (blocks + workers - 1);
}

double keel_pipeline_block_time(const struct keel_pipeline *pipeline, uint64_t size)
{
    struct keel_pipeline p = sound(pipeline);
    struct keel_pipeline_blocks cut = keel_pipeline_cut(p.elements, size);
    double workers = p.workers, elements = (double)p.elements, b = (double)cut.size;
    double last = elements - b * ((double)cut.blocks - 1);

    if (p.workers == 1 || p.elements == 0) {
        return p.sequential_s / workers;
    }
    return p.sequential_s / workers * (1 + (workers - 1) * b / elements) +
           ((double)cut.blocks + workers - 2) * p.fixed_s +
           (elements + (workers - 1) * b - last) * p.incr_s;
}

double keel_pipeline_best_blocks(const struct keel_pipeline *pipeline)
{
    struct keel_pipeline p = sound(pipeline);
    double workers = p.workers;

    if (p.workers == 1) {
        return 1;
    }
    /* The best number of blocks (PAPERS.md S5): the cost of waiting for first blocks, per block
     * size, over messages */
    double waiting_s =
        p.sequential_s * (1 - 1 / workers) + p.incr_s * (double)p.elements * (workers - 2);
    if (p.fixed_s == 0) {
        return waiting_s > 0 ? INFINITY : 1;
    }
    double ratio = waiting_s / p.fixed_s;
    return isnan(ratio) ? 1 : sqrt(ratio);
}

struct keel_pipeline_blocks keel_pipeline_cut(uint64_t elements, uint64_t size)
{
    size = max_u64(1, min_u64(size, elements));
    return (struct keel_pipeline_blocks){size, div_ceil(elements, size)};
}

/* The smallest blocks that make at most `blocks` of them, 1 .. m. */
static struct keel_pipeline_blocks even_blocks(uint64_t elements, uint64_t blocks)
{
    blocks = max_u64(1, min_u64(blocks, elements));
    return keel_pipeline_cut(elements, div_ceil(elements, blocks));
}

/* Number of sizes on either side of m / M* that are tried: a few elements cannot be cut into any
 * number of blocks. */
#define REACH 4

static void keep_better(struct keel_pipeline_blocks *best, const struct keel_pipeline *pipeline,
                        uint64_t blocks)
{
    struct keel_pipeline_blocks other = even_blocks(pipeline->elements, blocks);

    if (keel_pipeline_block_time(pipeline, other.size) <
        keel_pipeline_block_time(pipeline, best->size)) {
        *best = other;
    }
}

struct keel_pipeline_blocks keel_pipeline_best(const struct keel_pipeline *pipeline)
{
    uint64_t m = pipeline->elements;
    double blocks = keel_pipeline_best_blocks(pipeline), size = floor((double)m / blocks);
    struct keel_pipeline_blocks best = even_blocks(m, count_of(blocks));

    for (int d = 1 - REACH; d <= REACH; d++) {
        keep_better(&best, pipeline, keel_pipeline_cut(m, count_of(size + d)).blocks);
    }
    return best;
}

/* --- round-robin scheduling ---
 *
 * The round-robin model. */

/* Times that differ by less, in quanta, are equal: sums of grains are not exact. */
#define SAME 1e-6

/* A worker's process. */
struct process {
    double others; /* c: competing processes */
    double share;  /* of the work of a block */
    double done;   /* end of its last block */
    double turn;   /* rest of its turn at that time */
};

size_t keel_round_robin_scratch(uint32_t workers)
{
    return workers * sizeof(struct process);
}

/* --- turns --- */

/* When a process has its next turn, if its last one ended at process->done, and its input arrives
 * at `ready` > process->done. The others have had whole turns one after the other since then;
 * the one under way at `ready` and c - 1 more come before. */
static double next_turn(const struct process *process, double ready)
{
    double begun = ceil(ready - process->done - SAME) - 1;

    if (process->others == 0) {
        return ready;
    }
    return process->done + begun + process->others;
}

/* Computes for `work` quanta, from `ready` on at the earliest. Returns the end. */
static double compute(struct process *process, double ready, double work)
{
    double now = process->done, turns;

    if (ready > now + SAME) {
        now = next_turn(process, ready);
        process->turn = 1;
    }
    /* whole turns, after each of which the others have theirs, and the rest of the last one */
    turns = fmax(0, ceil(work - process->turn - SAME));
    process->done = now + work + turns * process->others;
    process->turn = fmax(0, process->turn + turns - work);
    return process->done;
}

/* --- runs --- */

static double available(const struct keel_round_robin *run)
{
    double sum = 0;

    for (uint32_t w = 0; w < run->workers; w++) {
        sum += 1. / (1 + run->competing[w]);
    }
    return sum;
}

static void begin(const struct keel_round_robin *run, double all, struct process *process)
{
    for (uint32_t w = 0; w < run->workers; w++) {
        double others = run->competing[w];
        process[w] = (struct process){.others = others, .share = 1 / (1 + others) / all, .turn = 1};
    }
}

/* Hands a block from worker to worker. Returns when the last one has done it. */
static double pass_on(uint32_t workers, struct process *process, double work)
{
    double ready = 0;

    for (uint32_t w = 0; w < workers; w++) {
        ready = compute(&process[w], ready, work * process[w].share);
    }
    return ready;
}

/* Computes a block of each worker, which all may begin at `ready`. Returns when all are done. */
static double meet(uint32_t workers, struct process *process, double ready, double work)
{
    double met = 0;

    for (uint32_t w = 0; w < workers; w++) {
        met = fmax(met, compute(&process[w], ready, work * process[w].share));
    }
    return met;
}

/* Computes all blocks. Returns when the last one is done. */
static double simulation(const struct keel_round_robin *run, double block, uint64_t blocks,
                         struct process *process)
{
    double end = 0;

    for (uint64_t i = 0; i < blocks; i++) {
        double work = fmin(block, run->sequential - (double)i * block);
        end = run->kind == KEEL_ROUND_ROBIN_BARRIER ? meet(run->workers, process, end, work)
                                                    : pass_on(run->workers, process, work);
    }
    return end;
}

/* Work of a block, of all workers. */
static double block_of(const struct keel_round_robin *run, double all)
{
    double block = run->grain * all;

    return block > 0
               ? fmin(fmax(block, run->sequential / KEEL_ROUND_ROBIN_BLOCKS_MAX), run->sequential)
               : run->sequential;
}

struct keel_round_robin_result keel_round_robin_simulate(const struct keel_round_robin *run,
                                                         void *scratch)
{
    double all = available(run), block = block_of(run, all);
    struct process *process = scratch;
    struct keel_round_robin_result result = {.available = all, .bound = 1};

    begin(run, all, process);
    result.blocks = max_u64(1, count_of(ceil(run->sequential / block - SAME)));
    result.elapsed = simulation(run, block, result.blocks, process);
    result.fair = run->sequential / (all * result.elapsed);
    if (run->kind == KEEL_ROUND_ROBIN_PIPELINE) {
        result.bound = keel_pipeline_bound((double)result.blocks, run->workers);
    }
    return result;
}
