/* By how much the model of rows misjudges each policy, from what following them has taken.
 *
 *   forecast and measured time of a period, under the policy that was followed -> [correction]
 *        -> a factor for each policy's forecasts -> rows_search.h
 *
 * A choice that comes out worse than forecast so gets dearer, until another one is better. What is
 * misjudged may be a matter of the policy, or of all of them: one that was not followed lately is
 * taken to be misjudged half as much as the one that is. Pure. */
#ifndef SCHEDULES_FORECAST_ROWS_CORRECTION_H
#define SCHEDULES_FORECAST_ROWS_CORRECTION_H

#include "schedules/forecast/rows_search.h"

/* Weight of earlier periods at each period, of whatever policy. */
#define KEEL_ROWS_CORRECTION_MEMORY 0.9

/* A single period counts for no more than a factor of e^KEEL_ROWS_CORRECTION_MOST. */
#define KEEL_ROWS_CORRECTION_MOST 0.5

/* Begins as {0}. Written by the functions below. */
struct keel_rows_correction {
    uint64_t followed;                  /* the last candidate that was noted */
    double error[KEEL_ROWS_CANDIDATES]; /* sums of log(measured / forecast), with weights */
    double notes[KEEL_ROWS_CANDIDATES]; /* sums of weights */
};

/* Under this candidate a period took `measured`, and should have taken `forecast`: s, or both in
 * units of any one time. Ignored where one of them is not > 0, or no number. */
void keel_rows_correction_note(struct keel_rows_correction *correction, uint64_t candidate,
                               double measured, double forecast);

/* For forecasts of each candidate; KEEL_ROWS_CANDIDATES values > 0. All 1 at first. */
void keel_rows_correction_factors(const struct keel_rows_correction *correction, double *factor);

/* By which part the candidate noted last has taken longer than forecast, lately; < 0: shorter. */
double keel_rows_correction_own(const struct keel_rows_correction *correction);

#endif
