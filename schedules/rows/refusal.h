/* Movements that come to nothing: when to try again what was refused.
 *
 *   rows that are to move -> [each rank's rows by their own weights] -> they gain too little
 *        -> [refusal] -> is it worth asking again? -> ruling
 *
 * Whether whole rows gain what shares of work promise, all ranks have to find out together, which
 * takes time. Where it was in vain, the same will be: it is tried again where more is promised than
 * then, and else ever more rarely. What has moved lately moves again only for more. Pure. */
#ifndef SCHEDULES_ROWS_REFUSAL_H
#define SCHEDULES_ROWS_REFUSAL_H

#include <stdbool.h>

/* Begins as {0}. */
struct keel_refusal {
    double gain;      /* that was promised when rows were refused last */
    unsigned in_vain; /* refusals since rows have moved */
    unsigned waits;   /* decisions to let pass */
    double lately;    /* movements, past ones the less the more decisions there were since */
};

/* What was tried, with such a promise, came to nothing; or rows have moved. */
void keel_refusal_note(struct keel_refusal *refusal, double gain, bool moved);

/* Whether to try a movement that promises `gain`; once for each decision that would move rows. */
bool keel_refusal_tries(struct keel_refusal *refusal, double gain);

/* The part of the time that rows have to gain by their own weights, or they stay; once for each
 * decision, of whichever kind. Candidates count the rows of a worker as alike: what comes of
 * that may gain nothing, and rows would go to and fro. told: the program has weighed them. Else
 * weights are measured, and what moves again and again shortly after is a correction of a
 * correction: it has to gain more. Told ones need none: work that comes and goes is followed as
 * often as that pays. */
double keel_refusal_least_gain(struct keel_refusal *refusal, bool told);

#endif
