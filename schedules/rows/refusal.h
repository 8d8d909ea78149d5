/* Movements that come to nothing: when to try again what was refused.
 *
 *   rows that are to move -> [each rank's rows by their own weights] -> they gain too little
 *        -> [refusal] -> is it worth asking again? -> decision
 *
 * Whether whole rows gain what shares of work promise, all ranks have to find out together, which
 * takes time. Where it was in vain, the same will be: it is tried again where more is promised than
 * then, and else ever more rarely. Pure. */
#ifndef SCHEDULES_ROWS_REFUSAL_H
#define SCHEDULES_ROWS_REFUSAL_H

#include <stdbool.h>

/* Begins as {0}. */
struct keel_refusal {
    double gain;      /* that was promised when rows were refused last */
    unsigned in_vain; /* refusals since rows have moved */
    unsigned waits;   /* decisions to let pass */
};

/* What was tried, with such a promise, came to nothing; or rows have moved. */
void keel_refusal_note(struct keel_refusal *refusal, double gain, bool moved);

/* Whether to try a movement that promises `gain`; once for each decision that would move rows. */
bool keel_refusal_tries(struct keel_refusal *refusal, double gain);

/* The part of the time that rows have to gain by their own weights, or they stay: candidates count
 * the rows of a worker as alike; what comes of that may gain nothing, and rows would go to and fro.
 * Where weights are measured, it is what they may be off by (measure.h, scale.h). To ask for more
 * after each movement gained nothing: 24 jobs of bench/sim/row_costs, `loops drawn`, seeds 501 to
 * 504, took 1.0528 of the least time without and 1.0537 with it, both in 2.1 movements. */
#define KEEL_REFUSAL_LEAST_GAIN 0.002
#define KEEL_REFUSAL_LEAST_GAIN_MEASURED 0.02

#endif
