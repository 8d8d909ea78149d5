/* Rate-proportional blocks: where each thread's block of a repeated loop begins, from measurements
 * of earlier instances.
 *
 *   timed chunks -> rates, cost profile -> filter -> gain over threshold?
 *                                          -> bounds of the blocks (both in learn.h)
 *
 * Pure: times come from the caller. Workers are threads here, or ranks. */
#ifndef SCHEDULES_LEARN_BLOCKS_H
#define SCHEDULES_LEARN_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "schedules/learn/learn.h"
#include "schedules/loop/cost_profile.h"

/* One worker's part in one instance. */
struct keel_blocks_part {
    uint64_t done;                        /* iterations; 0: it got none, the rest is ignored */
    double busy_ns;                       /* wall time spent in its chunks; waiting excluded */
    double cpu_ns;                        /* CPU time spent in them; 0: not known */
    double noise_ns;                      /* standard error of busy_ns by causes outside the loop:
                                             clock, cold caches, late arrival; 0: none */
    const struct keel_timed_chunk *chunk; /* in the order they were run; may be incomplete */
    size_t chunks;
};

/* One worker's state. */
struct keel_blocks_worker {
    struct keel_rate_filter rate; /* mean iterations per ns, see below */
    double bound;                 /* where its block begins, as a position; the first one's is 0 */
    double raw;                   /* its rate in the last instance; 0: none */
    double unchanged_rate;        /* mean filtered rate since blocks moved or were adjusted */
    uint64_t unmeasured;          /* instances since it was last measured */
    struct keel_spread wanted;    /* where each single instance would have its block begin */
};

/* The state of one loop and one number of workers. Rates are in mean iterations per ns: the work of
 * the iterations by the profile, over their time. */
struct keel_blocks {
    uint64_t workers;   /* P */
    uint64_t instances; /* learned from so far */
    uint64_t unchanged; /* instances since the last change of the blocks */
    double gain;        /* rfract after the last instance: the gain of moving, 0 .. 1 */
    double usual_ns; /* of an iteration, all workers' times together: a mean that no single instance
                        moves far up; 0: none yet */
    double noise;    /* largest part->noise_ns in the last instance, over its usual time */
    unsigned interrupted; /* instances in a row that took many times as long */
    struct keel_profile profile;
    struct keel_blocks_worker worker[];
};

/* Bytes of the state of `workers` >= 1. */
size_t keel_blocks_size(uint64_t workers);

/* Begins with equal blocks, a flat profile and no rates. */
void keel_blocks_begin(struct keel_blocks *blocks, uint64_t workers);

/* Learns from one instance of `iterations` >= 1 (part: P entries) and computes the block bounds of
 * the next one.
 *
 * - Measured: the work and time of each part. Parts with impossible times (negative, infinite, 0
 *   for work done) are left out; without any other parts nothing changes. Workers that got nothing
 *   keep their rate; those never measured count as the mean of the others.
 * - Speed or cost: if threads ran chunks among each other, differences at one position of the loop
 *   are speed. Elsewhere a change of all of a thread's times counts as speed, and the profile takes
 *   only the shape.
 * - Blocks move or are adjusted as learn.h says: they move to the filtered rates, or go half
 *   way towards their means over the unchanged instances, in which changes below the threshold
 *   cancel out. A worker so slow that it got no iteration gets one after KEEL_ADJUST_PERIOD
 *   instances (P <= N), which shows whether it still is; blocks count as adjusted then.
 * - Noise is subtracted (learn.h): a bound leaves that of equal blocks only as far as the
 *   difference exceeds its standard error. This has two parts. `noise` does not become smaller with
 *   more instances, as cold caches and late arrival favour the same worker each time. In loops so
 *   short that `noise` is more than 0.5 % of them, the variation of the bounds that single
 *   instances want is added, over as many instances as the rates average. The first instance has
 *   the former alone, so long loops are followed at once. Bounds that are farther out than is
 *   certain come back when an adjustment is due.
 * - Left out, if `noise_ns` is given: an instance 8 times as long as usual, at most two in a row:
 *   another program ran. */
enum keel_blocks_decision keel_blocks_learn(struct keel_blocks *blocks, uint64_t iterations,
                                            const struct keel_blocks_part *part);

/* Relative speed of a worker: its filtered rate over the mean rate; 1 if unknown. */
double keel_blocks_speed(const struct keel_blocks *blocks, uint64_t worker);

/* Time of a mean iteration on an average worker, ns: speeds add up. 0 if no rate is known. */
double keel_blocks_iteration_ns(const struct keel_blocks *blocks);

/* Where the block of `worker` of `iterations` begins; `worker` == P: `iterations`. Not
 * decreasing. */
uint64_t keel_blocks_first(const struct keel_blocks *blocks, uint64_t worker, uint64_t iterations);

#endif
