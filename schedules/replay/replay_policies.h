/* The candidates: policies that are replayed beside each other.
 *
 *   measured and filtered rates of all, at each decision -> [estimates]
 *   rows of a candidate, its estimate of rates, costs of movements (profit.h)
 *        -> [the candidate's rule] -> its next rows, and the cost of moving to them
 *
 * The published method is one of them. The others weigh costs against savings, by different
 * estimates: those that fall at once and rise slowly suit loads that come back before moving for
 * them would pay. Pure; O(P log P).
 *
 * The benefit of each candidate, by 500 drawn jobs in lock-step (time over the best published
 * policy, mean and 99 %; tests/schedules/replay/played_test of bfb42198, `played_test 500 90211`)
 * and by the 96 simulated jobs of tests/bench/sim/oscillation_test (time over rows that stay, mean
 * and most, which may be 1.06 at most):
 *
 *                                       drawn jobs       simulated jobs
 *                                       mean    99 %     mean    most
 *     these seven                       0.9948  1.051    0.887   1.039
 *     without "at-once"                 0.9954  1.047    0.887   1.039
 *     without "low-16"                  1.0021  1.067    0.887   1.039
 *     without "filtered"                0.9948  1.051    0.887   1.063
 *     without "mean"                    0.9946  1.051    0.887   1.066
 *     without "paper" and "mean"        0.9946  1.066    0.887   1.061
 *     stay, at-once, steady, low-16     0.9945  1.066    0.888   1.063
 *     stay, at-once, steady, filtered   1.0041  1.092    0.889   1.054 */
#ifndef SCHEDULES_REPLAY_REPLAY_POLICIES_H
#define SCHEDULES_REPLAY_REPLAY_POLICIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/decide.h"

/* Constants of the replay.
 *
 * The part of losses that is kept from one decision to the next: the last 32 count most. Another
 * candidate has to be better by this part of the time of the losses, besides costs. */
#define KEEL_REPLAY_MEMORY (1 - 1. / 32)
#define KEEL_REPLAY_HOLD 0.002

/* The least part of the time that a movement has to save, of the candidate that is followed first
 * and of the others that weigh: prevents rates that scatter from moving single rows. Chosen with
 * the candidates of the table above. */
#define KEEL_REPLAY_STEADY_GAIN 0.05
#define KEEL_REPLAY_OTHERS_GAIN 0.02

/* KEEL_ESTIMATE_LOW_16 rises by this part of the rest; KEEL_ESTIMATE_LONG_MEAN is the mean over
 * about this number of decisions. */
#define KEEL_REPLAY_RISE (1. / 16)
#define KEEL_REPLAY_LONG_MEAN 32

/* Estimates of the workers' future rates, by their measured rates so far. */
enum keel_estimate {
    KEEL_ESTIMATE_LAST,      /* rates stay as they were measured last */
    KEEL_ESTIMATE_FILTERED,  /* by the rate filter (PAPERS.md S10) */
    KEEL_ESTIMATE_LONG_MEAN, /* the mean over about the last 32 decisions */
    KEEL_ESTIMATE_LOW_16,    /* falls with a rate at once, and rises by a 16th of the rest */
    KEEL_ESTIMATES
};

/* Number of doubles in the estimates for `workers`. */
static inline size_t keel_estimates_room(uint32_t workers)
{
    return KEEL_ESTIMATES * (size_t)workers;
}

/* Records the rates of decision number `decision`, from 1, all > 0: P values each. value: room of
 * keel_estimates_room(P), in any state before the first decision. O(P). */
void keel_estimates_note(double *value, uint32_t workers, uint64_t decision, const double *measured,
                         const double *filtered);

/* Rates count in new units: 1 for worker w becomes factor[w] from now on, > 0 and finite; P values.
 * After the first decision. */
void keel_estimates_scale(double *value, uint32_t workers, const double *factor);

/* P values, after the first decision. */
static inline const double *keel_estimates_of(const double *value, uint32_t workers,
                                              enum keel_estimate kind)
{
    return value + (size_t)kind * workers;
}

/* When a candidate moves to its wanted shares. */
enum keel_candidate_rule {
    KEEL_CANDIDATE_STAYS,     /* never */
    KEEL_CANDIDATE_PUBLISHED, /* over a threshold, and unless it costs greatly more than it saves
                                 (S11, S12) */
    KEEL_CANDIDATE_MOVES,     /* at any cost */
    KEEL_CANDIDATE_WEIGHS     /* over a threshold, and if it pays while rates stay */
};

struct keel_candidate {
    const char *name;
    const char *summary;
    enum keel_candidate_rule rule;
    enum keel_estimate estimate;
    double threshold; /* the least part of the time that a movement has to save */
};

/* Indices of the table. */
enum {
    KEEL_CANDIDATE_STAY,
    KEEL_CANDIDATE_PAPER,
    KEEL_CANDIDATE_AT_ONCE,
    KEEL_CANDIDATE_STEADY, /* followed before anything is known */
    KEEL_CANDIDATE_FILTERED,
    KEEL_CANDIDATE_MEAN,
    KEEL_CANDIDATE_LOW_16,
    KEEL_CANDIDATES
};

extern const struct keel_candidate keel_candidates[KEEL_CANDIDATES];

/* Input of all candidates at a decision. */
struct keel_candidates_scene {
    const struct keel_decide_situation *situation;
    const struct keel_profit_cost *cost;
    const double *estimates; /* of keel_estimates_note() */
    uint32_t workers;
    bool adjacent;
    uint64_t decision; /* its number, from 1 */
    double elapsed_s;  /* since the job began */
    double lasting_s;  /* how long the last rates are likely to stay */
    double stable_s;   /* the same by the paper (keel_profit_changes_stable) */
};

/* Room for a candidate's decision: P values each, and keel_proposal_scratch(P) bytes. */
struct keel_candidates_room {
    struct keel_decide_report *report;
    double *wanted_work;
    void *scratch;
};

/* Decides for a candidate that has `rows`, with `work`. wanted: P values, gets its next rows, the
 * same if it does not move. */
struct keel_decision keel_candidates_decide(const struct keel_candidates_scene *scene,
                                            unsigned candidate, const uint64_t *rows,
                                            const double *work, uint64_t *wanted,
                                            const struct keel_candidates_room *room);

#endif
