/* The rate filter: follows lasting changes of a rate quickly and lets short ones pass.
 *
 * Sits between measured rates and every decision that is made from them. Pure: one step per
 * measurement (the rate filter, PAPERS.md S10, Siegell & Steenkiste 1997). */
#ifndef SCHEDULES_LEARN_RATE_FILTER_H
#define SCHEDULES_LEARN_RATE_FILTER_H

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

#endif
