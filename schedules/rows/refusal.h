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

/* A decision, of whichever kind. Returns how many times as much as the first movement the next one
 * has to gain, 1 or more: what moves again and again shortly after is a correction of a correction.
 */
double keel_refusal_hesitation(struct keel_refusal *refusal);

#endif
