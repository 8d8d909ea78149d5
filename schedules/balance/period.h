/* How often balancing looks again: from what it costs to the number of balance calls that pass.
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

/* Scheduling quanta in a period, so that rates average out (S8). */
#define KEEL_PERIOD_QUANTA 10

/* Phases count as this long at least, so that the number of balance calls has a limit. */
#define KEEL_PERIOD_COMPUTE_MIN_S 1e-9

/* "The last few movements": the paper does not say how many. */
#define KEEL_PERIOD_MOVEMENTS 4

/* What movements have cost, and how rare they were. Begins as {0}. */
struct keel_period {
    uint64_t interactions;                    /* since the last movement, or the beginning */
    uint64_t movements;                       /* noted so far */
    double movement_s[KEEL_PERIOD_MOVEMENTS]; /* what each took; a ring */
    uint64_t apart[KEEL_PERIOD_MOVEMENTS];    /* interactions from one movement to the next, >= 1 */
};

/* What was measured, in s. What is not > 0 or not a number sets no limit. */
struct keel_period_times {
    double interact_s; /* t_interact: an interaction, in which nothing is moved */
    double quantum_s;  /* t_quantum: how long the system lets one process run while others wait */
    double compute_s;  /* period_compute: a computation phase, from one balance call to the next */
};

/* Notes an interaction; `movement_s`: what the movement that came of it took, in s, or 0: nothing
 * was moved. Times that are not >= 0 and finite count as 0. */
void keel_period_note(struct keel_period *period, double movement_s);

/* In how many phases of compute_s so much time passes (S9), >= 1; phases count as
 * KEEL_PERIOD_COMPUTE_MIN_S at least. 1 where the time of a phase is not known (negative or not a
 * number), so that it gets measured. */
uint64_t keel_period_calls(double time_s, double compute_s);

/* How long rates that stay for stable_s (0: not known) would have to stay for being late to cost as
 * much as it does where, besides, each s more loses `drift` >= 0 of the time
 * (keel_drift_per_s). stable_s where drift is 0. */
double keel_period_stable_beside(double stable_s, double drift);

/* What an exchange of measurements costs, and how late it may be. Times in s. */
struct keel_period_exchange {
    double interact_s; /* the exchange itself */
    double phase_s;    /* from one balance call to the next */
    double stable_s;   /* rates stay so long from one change to the next; 0: not known */
};

/* Whether to compute while an exchange goes on: where exchanges in the period of changes take more
 * than being a phase late costs. Before it is known how long rates stay, where the exchange takes a
 * good part of a phase. */
bool keel_period_exchange_hides(const struct keel_period_exchange *exchange);

/* The period of changes, in s, at which exchanges each take as long as it costs to see changes
 * late: a change that is not yet followed costs half of the time, for half a period. 0 where it is
 * not known how long rates stay. */
double keel_period_of_exchanges(const struct keel_period_exchange *exchange);

/* The balance call from now on at which to interact, >= 1 (S9), from the largest of the limits
 * (S8), rounded up: the limits are lower ones. An infinite limit gives UINT64_MAX, unless the phase
 * is infinite, too. */
uint64_t keel_period_plan(const struct keel_period *period, const struct keel_period_times *times);

/* --- work that comes and goes ---
 *
 * How soon shares that were right are wrong.
 *
 *   work of each worker as it was to be -> [as it is, some time later] -> time lost -> [drift]
 *        -> keel_period_stable_beside() */

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
