/* How often balancing looks again: from its cost to the number of balance calls that pass.
 *
 *   measured times -> lower limits -> period -> the balance calls that interact
 *        movements -> [state] -^
 *
 * Pure: times come from the caller (PAPERS.md S8, S9). All workers that use the same numbers
 * get the same plan. */
#ifndef SCHEDULES_BALANCE_PERIOD_H
#define SCHEDULES_BALANCE_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/balance/balance_constants.h"

/* The cost of movements, and how rare they were. Begins as {0}. */
struct keel_period {
    uint64_t interactions;                    /* since the last movement, or the beginning */
    uint64_t movements;                       /* recorded so far */
    double movement_s[KEEL_PERIOD_MOVEMENTS]; /* the time of each; a ring */
    uint64_t apart[KEEL_PERIOD_MOVEMENTS];    /* interactions from one movement to the next, >= 1 */
};

/* Measured times, in s. Values that are not > 0 or not a number set no limit. */
struct keel_period_times {
    double interact_s; /* t_interact: an interaction, in which nothing is moved */
    double quantum_s;  /* t_quantum: how long the system lets one process run while others wait */
    double compute_s;  /* period_compute: a computation phase, from one balance call to the next */
};

/* Records an interaction; `movement_s`: the time of the movement that followed from it, in s; 0 if
 * nothing was moved. Times that are not > 0 and finite count as 0. */
void keel_period_note(struct keel_period *period, double movement_s);

/* The number of phases of compute_s in a time (S9), >= 1; phases count as at least
 * KEEL_PERIOD_COMPUTE_MIN_S. Returns 1 if the time of a phase is not known (negative or not a
 * number), so that it gets measured. */
uint64_t keel_period_calls(double time_s, double compute_s);

/* The stable time that is equivalent to both losses: that of late decisions with rates that stay
 * for stable_s (0: not known), and `drift` >= 0, the part of the time that each further s loses
 * (keel_drift_per_s). Returns stable_s if drift is 0. */
double keel_period_stable_beside(double stable_s, double drift);

/* The cost of an exchange of measurements, and how late it may be. Times in s. */
struct keel_period_exchange {
    double interact_s; /* the exchange itself */
    double phase_s;    /* from one balance call to the next */
    double stable_s;   /* from one change of rates to the next; 0: not known */
};

/* Whether to compute while an exchange goes on: if exchanges in the period of changes take more
 * than being a phase late costs. While the stable time of rates is not known: if the exchange takes
 * more than 1 % of a phase. */
bool keel_period_exchange_hides(const struct keel_period_exchange *exchange);

/* The period of changes, in s, at which exchanges take as long as late changes cost: a change that
 * is not yet followed costs half of the time, for half a period. 0 if the stable time of rates is
 * not known. */
double keel_period_of_exchanges(const struct keel_period_exchange *exchange);

/* The balance call from now on at which to interact, >= 1 (S9), from the largest of the limits
 * (S8), rounded up: the limits are lower ones. An infinite limit gives UINT64_MAX, unless the phase
 * is infinite, too. */
uint64_t keel_period_plan(const struct keel_period *period, const struct keel_period_times *times);

/* --- work that comes and goes ---
 *
 * How soon shares that were right become wrong.
 *
 *   expected work of each worker -> [the work some time later] -> time lost -> [drift]
 *        -> keel_period_stable_beside() */

/* Begins as {0}. */
struct keel_drift {
    double lost;   /* parts of the time, of the last looks at the work */
    double span_s; /* over which they were lost */
};

/* The part of the time of a phase that is lost because work has come and gone: the last worker
 * takes that part longer with `work` than with the `expected` shares of as much work; negative if
 * it takes less. 0 without work. P values of each; rate: work per s, > 0. O(P). */
double keel_drift_lost(uint32_t workers, const double *work, const double *expected,
                       const double *rate);

/* Records the loss over a span > 0. */
void keel_drift_note(struct keel_drift *drift, double lost, double span_s);

/* The loss in each further s for which shares stay as they are, >= 0; 0 if none is known. */
double keel_drift_per_s(const struct keel_drift *drift);

#endif
