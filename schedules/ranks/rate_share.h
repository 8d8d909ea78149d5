/* One rank's block of a repeated loop, by the rates of all, for ranks that know only their own and
 * what is added up along a tree.
 *
 *   own time -> rate, filtered -> sums over all ranks -> does the gain pass the threshold?
 *                                                        own weight -> sum of those of the ranks
 *                                                        below -> where the own block lies
 *
 * It decides as learn/blocks.h does of workers that one place knows all of; iterations cost the
 * same, and times have no noise of their own. Pure. */
#ifndef SCHEDULES_RANKS_RATE_SHARE_H
#define SCHEDULES_RANKS_RATE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/learn/learn.h"

/* Two ways to see rates: filtered, and the means of these since blocks were last changed. */
#define KEEL_RATE_VIEWS 2

/* Over all ranks that have told. It travels as it lies in memory. {0}: of none. */
struct keel_rate_sums {
    struct keel_rate_sums_view {
        double rates;   /* sum, iterations per ns */
        double known;   /* ranks whose rates these are */
        double longest; /* of them: width of the block over the rate, the largest */
    } view[KEEL_RATE_VIEWS];
    double told;       /* ranks that have */
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
    double gain;        /* what moving would have saved after the last instance, 0 .. 1 */
    double mean;        /* of the filtered rates that are known; 0: none is */
};

/* Equal blocks; nothing is known. rank: 0 .. ranks - 1. */
void keel_rate_share_begin(struct keel_rate_share *share, uint64_t rank, uint64_t ranks);

/* Takes in the rank's own part of one instance: `done` iterations in `busy_ns`, both 0 where its
 * time was not measured. Returns what the others have to know of it. Where nobody was measured, in
 * any rank, the instance counts for nothing: the caller goes on with a copy from before. */
struct keel_rate_sums keel_rate_share_measure(struct keel_rate_share *share, double done,
                                              double busy_ns);

/* Takes in other ranks. In any order: only sums may be rounded differently. */
void keel_rate_sums_add(struct keel_rate_sums *sums, const struct keel_rate_sums *other);

/* What becomes of all blocks after keel_rate_share_measure() of an instance of `iterations`, by the
 * sums over all ranks, bit for bit the same ones: so is the decision (learn/learn.h). */
enum keel_blocks_decision keel_rate_share_decide(struct keel_rate_share *share,
                                                 const struct keel_rate_sums *sums,
                                                 uint64_t iterations);

/* How blocks change after a decision to move or to adjust them, in an instance of `iterations`. */
struct keel_rate_change {
    enum keel_blocks_decision decision;
    uint64_t weight; /* of the rank: its speed among the others */
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

/* The rank's speed among the others: its filtered rate over the mean rate; 1 where unknown. */
double keel_rate_share_speed(const struct keel_rate_share *share);

/* Iteration at which the part `position` of a loop begins; not decreasing. */
uint64_t keel_rate_share_iteration(double position, uint64_t iterations);

#endif
