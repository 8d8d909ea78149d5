/* One rank's block of a repeated loop, by the rates of all, for ranks that know only their own rate
 * and sums over a tree.
 *
 *   own time -> rate, filtered -> sums over all ranks -> does the gain pass the threshold?
 *                                                        own weight -> sum of those of the ranks
 *                                                        below -> bounds of the own block
 *
 * It decides as learn/blocks.h, which knows all workers, except that iterations cost the same, and
 * times have no noise of their own. Pure. */
#ifndef SCHEDULES_RANKS_RATE_SHARE_H
#define SCHEDULES_RANKS_RATE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/learn/learn.h"

/* Two kinds of rates: filtered, and their means since blocks were last changed. */
#define KEEL_RATE_VIEWS 2

/* Sums over all ranks that have reported. Sent as it is in memory. {0}: no ranks. */
struct keel_rate_sums {
    struct keel_rate_sums_view {
        double rates;   /* sum, iterations per ns */
        double known;   /* ranks whose rates these are */
        double longest; /* of them: width of the block over the rate, the largest */
    } view[KEEL_RATE_VIEWS];
    double ranks;      /* ranks in the sums */
    double measured;   /* ranks that have been measured in this instance */
    double unmeasured; /* ranks without an iteration for KEEL_ADJUST_PERIOD instances */
};

struct keel_rate_share {
    /* Of the rank itself. */
    struct keel_rate_filter rate; /* iterations per ns; 0: it has never been measured */
    double unchanged_rate;        /* mean filtered rate since blocks were changed */
    uint64_t unmeasured;          /* instances since it was measured */
    double first, last;           /* its block, as parts of the loop, 0 .. 1 */

    /* The same on all ranks. */
    uint64_t ranks;     /* P */
    uint64_t instances; /* learned from so far */
    uint64_t unchanged; /* instances since the last change of the blocks */
    double gain;        /* rfract after the last instance, 0 .. 1 */
    double mean;        /* of the known filtered rates; 0: none is known */
};

/* Begins with equal blocks and no rates. rank: 0 .. ranks - 1. */
void keel_rate_share_begin(struct keel_rate_share *share, uint64_t rank, uint64_t ranks);

/* Records the rank's own part of one instance: `done` iterations in `busy_ns`, both 0 if its time
 * was not measured. Returns what the rank reports to the others. If no rank was measured, the
 * instance does not count: the caller goes on with a copy from before. */
struct keel_rate_sums keel_rate_share_measure(struct keel_rate_share *share, double done,
                                              double busy_ns);

/* Adds other ranks. The order may change only the rounding of sums. */
void keel_rate_sums_add(struct keel_rate_sums *sums, const struct keel_rate_sums *other);

/* Decides about all blocks after keel_rate_share_measure() of an instance of `iterations`, by the
 * sums over all ranks: equal sums, bit for bit, give equal decisions (learn/learn.h). */
enum keel_blocks_decision keel_rate_share_decide(struct keel_rate_share *share,
                                                 const struct keel_rate_sums *sums,
                                                 uint64_t iterations);

/* How blocks change after a decision to move or to adjust them, in an instance of `iterations`. */
struct keel_rate_change {
    enum keel_blocks_decision decision;
    uint64_t weight; /* of the rank: its relative speed */
    uint64_t total;  /* of all, about */
};
struct keel_rate_change keel_rate_share_change(const struct keel_rate_share *share,
                                               enum keel_blocks_decision decision,
                                               const struct keel_rate_sums *sums,
                                               uint64_t iterations);

/* Sets the rank's block. before: the sum of the weights of the ranks below. Bounds of neighbours
 * are the same to the last bit, as weights are whole numbers. */
void keel_rate_share_set(struct keel_rate_share *share, const struct keel_rate_change *change,
                         uint64_t rank, uint64_t before);

/* The rank's relative speed: its filtered rate over the mean rate; 1 if unknown. */
double keel_rate_share_speed(const struct keel_rate_share *share);

/* Iteration at which the part `position` of a loop begins; not decreasing. */
uint64_t keel_rate_share_iteration(double position, uint64_t iterations);

#endif
