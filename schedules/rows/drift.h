/* Work that comes and goes: how soon shares that were right are wrong.
 *
 *   work of each worker as it was to be -> [as it is, some time later] -> time lost -> [drift]
 *        -> how often to compare, and how late (schedules/balance/period.h)
 *
 * Pure. */
#ifndef SCHEDULES_ROWS_DRIFT_H
#define SCHEDULES_ROWS_DRIFT_H

#include <stdint.h>

/* Begins as {0}. */
struct keel_drift {
    double lost;   /* parts of the time, of the last times that work was looked at */
    double span_s; /* over which they were lost */
};

/* The part of the time of a phase that is lost as work has come and gone: what the last worker
 * needs with `work` is that part more than with the `expected` shares of as much work; below 0:
 * less. 0 where there is no work. P values of each; rate: work per s, > 0. O(P). */
double keel_drift_lost(uint32_t workers, const double *work, const double *expected,
                       const double *rate);

/* What was lost in a span, > 0. */
void keel_drift_note(struct keel_drift *drift, double lost, double span_s);

/* What is lost in each s more for which shares stay as they are, >= 0; 0: nothing is known. */
double keel_drift_per_s(const struct keel_drift *drift);

#endif
