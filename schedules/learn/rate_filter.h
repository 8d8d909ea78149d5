/* The rate filter: follows lasting changes of a rate quickly and lets short ones pass.
 *
 * Sits between measured rates and every decision that is made from them. Pure: one step per
 * measurement (the rate filter, PAPERS.md S10, Siegell & Steenkiste 1997). */
#ifndef SCHEDULES_LEARN_RATE_FILTER_H
#define SCHEDULES_LEARN_RATE_FILTER_H

#include <stdint.h>

/* How the last rates went: how often in a row down or up. */
enum keel_rate_state {
    KEEL_RATE_DOWN3,
    KEEL_RATE_DOWN2,
    KEEL_RATE_DOWN1,
    KEEL_RATE_CONSTANT,
    KEEL_RATE_UP1,
    KEEL_RATE_UP2,
    KEEL_RATE_UP3,
    KEEL_RATE_STATES
};

/* Begins as {0}: the first measurement is taken as it is. */
struct keel_rate_filter {
    double filtered; /* the filtered rate; 0 before the first measurement */
    enum keel_rate_state state;
};

/* Takes in a measured rate (> 0, any unit that stays the same; others are ignored) and returns the
 * filtered one:
 *
 *     filtered' = (1 - h) rate + h filtered
 *
 * with h from the state and from whether `rate` lies below the filtered rate before. */
double keel_rate_filter_update(struct keel_rate_filter *filter, double rate);

/* When blocks may move: hysteresis between measured rates and the bounds of blocks.
 *
 * Blocks that stay keep their caches and pages, so a small gain is not worth a move. But imbalance
 * just under the threshold would stay for good; small adjustments pass from time to time
 * (the threshold, PAPERS.md S11). Pure. */

#define KEEL_GAIN_THRESHOLD 0.1 /* tfract, the threshold of PAPERS.md S11 */

/* An adjustment is due after so many calm instances; sooner in the first instances of a loop, after
 * half as many as have been learned from: the 2nd, 3rd, 5th, 9th, 17th, 25th ... */
#define KEEL_ADJUST_PERIOD 8

/* Gains up to this are left alone for good. */
#define KEEL_ADJUST_GAIN 0.005

enum keel_blocks_decision {
    KEEL_BLOCKS_KEPT,     /* the gain is under the threshold */
    KEEL_BLOCKS_ADJUSTED, /* it is, but the periodic small adjustment was due */
    KEEL_BLOCKS_MOVED,    /* the gain is over the threshold */
};

/* The share by which the projected time falls when blocks that take `present` are replaced by such
 * that take `best`: rfract, 0 .. 1. */
double keel_threshold_gain(double present, double best);

/* Decides after an instance.
 *
 *   instances: learned from so far, this one included; the first one always moves blocks
 *   calm:      instances since blocks moved or were adjusted, this one included
 *   gain:      by the filtered rates
 *   calm_gain: by the means of these rates over the calm instances */
enum keel_blocks_decision keel_threshold_decide(uint64_t instances, uint64_t calm, double gain,
                                                double calm_gain);

#endif
