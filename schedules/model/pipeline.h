/* How long a pipelined DOACROSS sweep takes, and the block size that makes it shortest
 * (papers/README.md S3-S5).
 *
 *   measured iterations and messages -> [estimate] -> model -> block size -> the next sweep
 *
 * A sweep is over m elements, which every worker goes through in blocks; a block's border goes to
 * the next worker before that one starts the same block. Large blocks make workers wait for their
 * first one, small ones cost messages. Pure: times come from the caller. Workers that use the same
 * numbers choose the same size. */
#ifndef KEEL_SCHEDULES_MODEL_PIPELINE_H
#define KEEL_SCHEDULES_MODEL_PIPELINE_H

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

/* t_total in s for `blocks` >= 1 (S4), which need not be whole:
 *
 *     (M + P - 1) t_sequential / (P M) + (M + P - 2) (t_fixed + t_incr m / M)
 *
 * A single worker sends nothing: t_sequential. */
double keel_pipeline_time(const struct keel_pipeline *pipeline, double blocks);

/* The same for blocks of `size` >= 1 elements, of which the last may be smaller: it is held up by
 * the one before it, so a worker starts as late as with whole blocks, and only the last border is
 * shorter. Equal to S4 where all are whole.
 *
 *     t_sequential / P (1 + (P - 1) b / m) + (M + P - 2) t_fixed
 *         + (m + (P - 1) b - b_last) t_incr,     M = ceil(m / b), b_last = m - (M - 1) b */
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

/* --- estimates --- */

/* What was measured: always the smallest, which a competing load has disturbed least. A factor of
 * two off costs little (S5). Begins as {0}; 0: not measured. */
struct keel_pipeline_estimate {
    double iteration_s; /* t_iteration: smallest of the last sweep that measured it */
    double sweeping_s;  /* smallest of the present sweep */
    double empty_s;     /* smallest time of an empty message */
    double message_s;   /* smallest time of a message of so many elements: */
    uint64_t message_elements;
};

/* Notes that `iterations` took `time_s`. Of those noted between two calls of keel_pipeline_sweep,
 * the smallest time of one counts. Nothing done and times that are not > 0 and finite are ignored,
 * here and below. */
void keel_pipeline_note_iterations(struct keel_pipeline_estimate *estimate, uint64_t iterations,
                                   double time_s);

/* Notes a message of `elements`, 0: an empty one. Another length than before starts anew. */
void keel_pipeline_note_message(struct keel_pipeline_estimate *estimate, uint64_t elements,
                                double time_s);

/* A sweep has ended: its smallest iteration time replaces that of the one before, so that estimates
 * follow what a lasting load does. */
void keel_pipeline_sweep(struct keel_pipeline_estimate *estimate);

/* t_incr in s: what the fixed-length message took beyond the empty one, by element; >= 0. */
double keel_pipeline_incr(const struct keel_pipeline_estimate *estimate);

/* Without measured iterations and empty messages, so many blocks per worker: efficient to P 4 /
 * (P 5 - 1) > 80 % by S3, if messages cost nothing. */
#define KEEL_PIPELINE_UNKNOWN_BLOCKS 4

/* The blocks of the next sweep of `iterations` (all workers' together, in the unit noted) over
 * `elements`. model: NULL, or what the choice was made from. */
struct keel_pipeline_blocks keel_pipeline_choose(const struct keel_pipeline_estimate *estimate,
                                                 uint32_t workers, uint64_t elements,
                                                 double iterations, struct keel_pipeline *model);

#endif
