/* How often balancing looks again: from what it costs to the number of hooks that pass.
 *
 *   measured times -> lower limits -> period_target -> nexthook -> the hooks that interact
 *        movements -> [state] -^
 *
 * Pure: times come from the caller (PAPERS.md S7-S9). All workers that use the same numbers
 * get the same plan. */
#ifndef SCHEDULES_BALANCE_PERIOD_H
#define SCHEDULES_BALANCE_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

/* The parameters of S7-S9. The first four are > 0; a limit whose parameter is not drops out. */
struct keel_period_parameters {
    double interact_fraction; /* f_interact: of all time, what interactions may take (S8) */
    double hook_fraction;     /* of all time, what hooks that do not interact may take (S7) */
    double quantumscale;      /* scheduling quanta in a period, so that rates average out (S8) */
    double compute_min_s;     /* phases count as this long at least, so that nexthook has a limit */
    double workscale;         /* periods that a movement's cost is spread over (S8); 0: measured */
};

/* The paper's: 5 %, 1 %, 10, measured; and phases of 1 ns. */
extern const struct keel_period_parameters keel_period_standard;

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
    double hook_s;     /* a hook that looks at the clock, but does not interact */
    double quantum_s;  /* t_quantum: how long the system lets one process run while others wait */
    double compute_s;  /* period_compute: a computation phase, from one hook to the next */
};

/* The limits, each >= 0 and in s, and what follows from them. */
struct keel_period_plan {
    double interact_s, movement_s, scheduling_s, hook_s;
    double target_s;   /* period_target: the largest of the limits */
    uint64_t nexthook; /* interact at this hook from now on, >= 1 (S9) */
    uint64_t stride;   /* look at the clock at every so-many-th hook only, 1 .. nexthook (S7) */
};

/* Notes an interaction; `movement_s`: what the movement that came of it took, in s, or 0: nothing
 * was moved. Times that are not >= 0 and finite count as 0. */
void keel_period_note(struct keel_period *period, double movement_s);

/* t_movement: the mean time of the last few movements, in s; 0: none yet. */
double keel_period_movement(const struct keel_period *period);

/* Over how many periods a movement's cost is spread, >= 1: the interactions from one movement to
 * the next, on average over the last few. Where the present pause is longer, this counts, so
 * that a period which grew with a burst of movements shrinks again.
 *
 * The paper takes it from "the measured times between recent work movements", but a limit in s
 * comes of t_movement / workscale only if these times are counted in periods. */
double keel_period_workscale(const struct keel_period *period);

/* In how many phases of compute_s so much time passes (S9), >= 1; phases count as compute_min_s > 0
 * at least. 1 where the time of a phase is not known. */
uint64_t keel_period_hooks(double time_s, double compute_s, double compute_min_s);

/* The period, in s, at which exchanges of interact_s each take as long as it costs to see changes
 * late: rates stay for stable_s from one change to the next, and a change that is not yet followed
 * costs half of the time, for half a period. 0 where either is not known. */
double keel_period_of_changes(double interact_s, double stable_s);

/* Whether to compute for a phase of phase_s while an exchange of interact_s goes on, so that it is
 * followed a phase later: where exchanges in the period of changes take more than being so late
 * costs, by the same rates. */
bool keel_period_hides(double interact_s, double phase_s, double stable_s);

/* How long rates that stay for stable_s (0: not known) would have to stay for being late to cost as
 * much as it does where, besides, each s more loses `drift` >= 0 of the time
 * (schedules/rows/drift.h). stable_s where drift is 0. */
double keel_period_stable_beside(double stable_s, double drift);

/* What an exchange of figures costs, and how late it may be. Times in s. */
struct keel_period_exchange {
    double interact_s; /* the exchange itself */
    double meeting_s;  /* lost by meeting for it, where workers never wait for each other otherwise
                          and their phases scatter: all wait for the one that is last by chance,
                          which is another one each time; 0: they meet anyway */
    double overlap_s;  /* lost by meeting for it, where workers wait for messages of others in any
                          phase: what the slowest of them waits, as these are only sent once it
                          has come, and not while it computes; 0: nothing */
    double phase_s, stable_s; /* as of keel_period_hides(); stable_s 0: not known */
    uint32_t workers;
};

/* Hooks that pass while an exchange goes on, >= 1. Where workers do not meet, it gets on in hooks
 * alone, by a round in each (messages to log2 P others, as MPIs do it): with fewer hooks they would
 * wait for each other. */
uint64_t keel_period_hidden_hooks(const struct keel_period_exchange *exchange);

/* Whether so many hooks are to pass: where being so late costs less than what that saves. Before it
 * is known how long rates stay, where the exchange takes a good part of a phase. */
bool keel_period_exchange_hides(const struct keel_period_exchange *exchange);

/* The period of changes for such exchanges; what meeting loses counts where it is not hidden. */
double keel_period_of_exchanges(const struct keel_period_exchange *exchange);

/* The limits (S8), the period and the hooks (S9). nexthook is rounded up: the limits are lower
 * ones. A phase that takes no time counts as parameters->compute_min_s; one whose time is not known
 * (negative or not a number) gives nexthook 1, so that it gets measured. An infinite limit gives
 * UINT64_MAX, unless the phase is infinite, too. */
struct keel_period_plan keel_period_plan(const struct keel_period *period,
                                         const struct keel_period_parameters *parameters,
                                         const struct keel_period_times *times);

#endif
