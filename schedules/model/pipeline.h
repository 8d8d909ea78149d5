/* How long a pipelined DOACROSS sweep takes, and the block size that makes it shortest
 * (PAPERS.md S3-S5).
 *
 *   measured iterations and messages (block_size.h) -> [model] -> block size -> the next sweep
 *
 * A sweep is over m elements, which every worker goes through in blocks; a block's border goes to
 * the next worker before that one starts the same block. Large blocks make workers wait for their
 * first one, small ones cost messages. Pure: times come from the caller. Workers that use the same
 * numbers choose the same size. */
#ifndef SCHEDULES_MODEL_PIPELINE_H
#define SCHEDULES_MODEL_PIPELINE_H

#include <stdint.h>

/* Times that are not > 0, or no numbers, count as 0 below. */
struct keel_pipeline {
    uint32_t workers;    /* P >= 1 */
    uint64_t elements;   /* m: what a worker can cut into blocks */
    double sequential_s; /* t_sequential: the whole sweep on one worker. Where speeds differ and
                          * shares are in proportion, P times what any worker's share takes it */
    double fixed_s;      /* t_fixed: an empty message */
    double incr_s;       /* t_incr: what each element adds to it */
};

/* How m elements are cut: size * (blocks - 1) < m <= size * blocks. */
struct keel_pipeline_blocks {
    uint64_t size;   /* b, 1 .. m; 1 if m = 0 */
    uint64_t blocks; /* M, 1 .. m; 0 if m = 0 */
};

/* Highest efficiency of a pipeline of `blocks` > 0, 0 .. 1 (S3). */
double keel_pipeline_bound(double blocks, uint32_t workers);

/* t_total in s for blocks of `size` >= 1 elements, of which the last may be smaller: it is held up
 * by the one before it, so a worker starts as late as with whole blocks, and only the last border
 * is shorter. Where all are whole, it is S4:
 *
 *     (M + P - 1) t_sequential / (P M) + (M + P - 2) (t_fixed + t_incr m / M)
 *
 * else
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

/* Blocks of the given size, cut off to 1 .. m: a fixed size, or one by the grain (S2): t_grain over
 * the time of an iteration. */
struct keel_pipeline_blocks keel_pipeline_cut(uint64_t elements, uint64_t size);

/* The blocks that take least time, of M* rounded down and of a few sizes around m / M*, as even as
 * whole elements allow. O(1). */
struct keel_pipeline_blocks keel_pipeline_best(const struct keel_pipeline *pipeline);

#endif
