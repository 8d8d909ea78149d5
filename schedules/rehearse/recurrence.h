/* Loads that repeat: whether a worker's rate goes up and down in a period, and what it will be.
 *
 *   measured rates over time -> bins of equal width -> likeness of the rates one period apart,
 *        against what rates without a period show by chance -> period -> mean of the rates to come
 *
 * Each lag is compared: likeness(lag) = 1 - mean of (x(t) - x(t - lag))^2 / (2 variance), 1 where
 * rates repeat and about 0 where they are not related. A period is taken for real where, in three
 * rises or falls at least, likeness comes back to a value that loads which come and go at random
 * reach too rarely (RECURRENCE_... in recurrence.c), after it was much lower for shorter lags; and
 * only until rates differ from what it foretells. In doubt nothing is foretold.
 *
 * Pure: times come from the caller. Workers that are told the same foretell the same. */
#ifndef SCHEDULES_REHEARSE_RECURRENCE_H
#define SCHEDULES_REHEARSE_RECURRENCE_H

#include <stdint.h>

#define KEEL_RECURRENCE_BINS 256

/* The history of one worker, about 1 KiB; written by the functions below only. Where all bins are
 * full, two become one, or, if a period is known and short, the older half is forgotten. */
struct keel_recurrence {
    float bin[KEEL_RECURRENCE_BINS]; /* mean rates */
    uint32_t bins;                   /* that are full */
    uint32_t searched;               /* bins there were at the last search */
    double begins_s, width_s;        /* bin i: [begins_s + i width_s, begins_s + (i + 1) width_s) */
    double open_sum, open_s;         /* the bin that is not full yet: rate times time, time */
    double period_s;                 /* 0: none is known */
    double likeness;                 /* of what is one period apart, up to 1 */
    double variance;                 /* of bins, at the last search */
    double missed;                   /* recent mean square of the error of what was foretold */
};

/* Nothing is known. The same as all zeros. */
void keel_recurrence_begin(struct keel_recurrence *recurrence);

/* The worker's mean rate from from_s to to_s, any unit, > 0. Spans come in order of time; where
 * there is a gap, the rate after it is taken for it. Other values, and spans that are not later
 * than those before, are passed over. O(1) as a rule; now and then O(KEEL_RECURRENCE_BINS^2). */
void keel_recurrence_note(struct keel_recurrence *recurrence, double from_s, double to_s,
                          double rate);

/* Rates count in a new unit: what counted 1 counts `factor` from now on, > 0 and finite. */
void keel_recurrence_scale(struct keel_recurrence *recurrence, double factor);

/* The period in s; 0: none is known. */
static inline double keel_recurrence_period_s(const struct keel_recurrence *recurrence)
{
    return recurrence->period_s;
}

/* The mean rate from from_s to to_s, which lie after what was noted; 0: nothing is foretold. */
double keel_recurrence_forecast(const struct keel_recurrence *recurrence, double from_s,
                                double to_s);

#endif
