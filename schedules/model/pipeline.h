/* How long a pipelined DOACROSS sweep takes, and the block size with the shortest time (PAPERS.md
 * S3-S5).
 *
 *   measured iterations and messages (block_size.h) -> [model] -> block size -> the next sweep
 *
 * A sweep is over m elements, which every worker goes through in blocks; a block's border goes to
 * the next worker before that one starts the same block. Large blocks make workers wait for their
 * first one, small ones cost messages. Pure: times come from the caller. Workers that use the same
 * numbers choose the same size. */
#ifndef SCHEDULES_MODEL_PIPELINE_H
#define SCHEDULES_MODEL_PIPELINE_H

#include <stddef.h>
#include <stdint.h>

/* Times that are not > 0, or not numbers, count as 0 below. */
struct keel_pipeline {
    uint32_t workers;    /* P >= 1 */
    uint64_t elements;   /* m: along the dimension that is cut into blocks */
    double sequential_s; /* t_sequential: the whole sweep on one worker. If speeds differ and
                          * shares are in proportion, P times the time of any worker's share */
    double fixed_s;      /* t_fixed: an empty message */
    double incr_s;       /* t_incr: added by each element */
};

/* How m elements are cut: size * (blocks - 1) < m <= size * blocks. */
struct keel_pipeline_blocks {
    uint64_t size;   /* b, 1 .. m; 1 if m = 0 */
    uint64_t blocks; /* M, 1 .. m; 0 if m = 0 */
};

/* Highest efficiency of a pipeline of `blocks` > 0, 0 .. 1 (S3). */
double keel_pipeline_bound(double blocks, uint32_t workers);

/* t_total in s for blocks of `size` >= 1 elements, of which the last may be smaller: it is delayed
 * by the one before it, so a worker starts as late as with whole blocks, and only the last border
 * is shorter. If all are whole, it is S4:
 *
 *     (M + P - 1) t_sequential / (P M) + (M + P - 2) (t_fixed + t_incr m / M)
 *
 * otherwise
 *
 *     t_sequential / P (1 + (P - 1) b / m) + (M + P - 2) t_fixed
 *         + (m + (P - 1) b - b_last) t_incr,     M = ceil(m / b), b_last = m - (M - 1) b
 *
 * A single worker sends nothing: t_sequential. */
double keel_pipeline_block_time(const struct keel_pipeline *pipeline, uint64_t size);

/* M* (S5), 0 .. infinity, not rounded; 1 for a single worker, or if nothing costs anything:
 *
 *     sqrt((t_sequential (1 - 1/P) + t_incr m (P - 2)) / t_fixed) */
double keel_pipeline_best_blocks(const struct keel_pipeline *pipeline);

/* Blocks of the given size, clamped to 1 .. m: a fixed size, or one by the grain (S2): t_grain over
 * the time of an iteration. */
struct keel_pipeline_blocks keel_pipeline_cut(uint64_t elements, uint64_t size);

/* The blocks that take least time, of M* rounded down and of a few sizes around m / M*, as even as
 * whole elements allow. O(1). */
struct keel_pipeline_blocks keel_pipeline_best(const struct keel_pipeline *pipeline);

/* --- round-robin scheduling ---
 *
 * A balanced program under round-robin scheduling of processors (PAPERS.md S17, Figures 11 and 13
 * of SS97): how large the grain has to be for proportional shares to be useful.
 *
 *   competing processes, quantum, grain, kind of synchronisation -> [simulation] -> elapsed time
 *
 * Each worker's processor is shared by the program's process and by competing ones, which always
 * compute. A process computes for one quantum at most; then it goes to the end of the queue. A
 * process that has to wait gives the processor up at once, and goes to the end of the queue when
 * its input arrives. So, with c others, it waits for c turns, of which the first may be under way.
 * Input that arrives at the very end of a turn is queued before the process whose turn it was.
 * Communication costs nothing. All times are in quanta.
 *
 * Pure and without chance. */

#define KEEL_ROUND_ROBIN_BLOCKS_MAX 1e6

enum keel_round_robin_kind {
    KEEL_ROUND_ROBIN_PIPELINE, /* worker i begins a block when worker i - 1 has done it; any number
                                  of blocks may lie between them */
    KEEL_ROUND_ROBIN_BARRIER   /* all begin a block when all have done the one before */
};

struct keel_round_robin {
    enum keel_round_robin_kind kind;
    uint32_t workers;          /* P >= 1 */
    const uint32_t *competing; /* c_i: of each worker's processor */
    double sequential;         /* all work, on one processor of its own, > 0 */

    /* Time of a block, from one synchronisation to the next, on a worker that gets exactly its part
     * 1 / (1 + c_i) of the processor. It is the same for all workers with balanced shares: worker i
     * computes for grain / (1 + c_i), one without competing processes for `grain`. More than all,
     * or not > 0: a single block. There are KEEL_ROUND_ROBIN_BLOCKS_MAX at most. */
    double grain;
};

struct keel_round_robin_result {
    uint64_t blocks;  /* M: ceil(sequential / (grain * available)); the last one may be smaller */
    double available; /* processors: the sum of 1 / (1 + c_i) */
    double elapsed;
    double fair;  /* sequential / (available * elapsed): the efficiency (S1), if competing processes
                     got exactly their parts. At the ends of short runs it can be above 1 */
    double bound; /* of the efficiency: S3 for pipelines, with P workers; 1 for barriers */
};

/* Bytes of memory for keel_round_robin_simulate(), aligned as by malloc. */
size_t keel_round_robin_scratch(uint32_t workers);

/* Simulates it. O(M P). */
struct keel_round_robin_result keel_round_robin_simulate(const struct keel_round_robin *run,
                                                         void *scratch);

#endif
