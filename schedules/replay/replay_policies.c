/* The candidates and their rules. */
#include "schedules/replay/replay_policies.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/learn.h"

/* Thresholds of those that weigh: small ones prevent rates that scatter from moving single rows. */
const struct keel_candidate keel_candidates[KEEL_CANDIDATES] = {
    [KEEL_CANDIDATE_STAY] = {"stay", "keeps the first shares", KEEL_CANDIDATE_STAYS,
                             KEEL_ESTIMATE_LAST, 0},
    [KEEL_CANDIDATE_PAPER] = {"paper", "the method of Siegell & Steenkiste 1997",
                              KEEL_CANDIDATE_PUBLISHED, KEEL_ESTIMATE_FILTERED,
                              KEEL_GAIN_THRESHOLD},
    [KEEL_CANDIDATE_AT_ONCE] = {"at-once", "shares by the last rates, whatever it costs",
                                KEEL_CANDIDATE_MOVES, KEEL_ESTIMATE_LAST, 0},
    [KEEL_CANDIDATE_STEADY] = {"steady", "by the last rates, where it saves 5 % and pays",
                               KEEL_CANDIDATE_WEIGHS, KEEL_ESTIMATE_LAST, 0.05},
    [KEEL_CANDIDATE_FILTERED] = {"filtered", "by filtered rates, where it pays",
                                 KEEL_CANDIDATE_WEIGHS, KEEL_ESTIMATE_FILTERED, 0.02},
    [KEEL_CANDIDATE_MEAN] = {"mean", "by long means of rates, where it pays", KEEL_CANDIDATE_WEIGHS,
                             KEEL_ESTIMATE_LONG_MEAN, 0.02},
    [KEEL_CANDIDATE_LOW_16] = {"low-16", "by the lowest rates of a while, where it pays",
                               KEEL_CANDIDATE_WEIGHS, KEEL_ESTIMATE_LOW_16, 0.02},
};

/* --- estimates --- */

void keel_estimates_note(double *value, uint32_t workers, uint64_t decision, const double *measured,
                         const double *filtered)
{
    double *low = value + (size_t)KEEL_ESTIMATE_LOW_16 * workers;
    double *mean = value + (size_t)KEEL_ESTIMATE_LONG_MEAN * workers;
    double part = 1 / (double)min_u64(decision, KEEL_REPLAY_LONG_MEAN);

    memcpy(value + (size_t)KEEL_ESTIMATE_LAST * workers, measured, workers * sizeof *value);
    memcpy(value + (size_t)KEEL_ESTIMATE_FILTERED * workers, filtered, workers * sizeof *value);
    if (decision == 1) {
        memcpy(low, measured, workers * sizeof *value);
        memcpy(mean, measured, workers * sizeof *value);
    }
    for (uint32_t w = 0; w < workers; w++) {
        mean[w] += part * (measured[w] - mean[w]);
        low[w] = fmin(measured[w], low[w] + KEEL_REPLAY_RISE * (measured[w] - low[w]));
    }
}

void keel_estimates_scale(double *value, uint32_t workers, const double *factor)
{
    for (size_t i = 0; i < keel_estimates_room(workers); i++) {
        value[i] *= factor[i % workers];
    }
}

/* --- decisions --- */

static void report_for(const struct keel_candidates_scene *scene, unsigned candidate,
                       const uint64_t *rows, const double *work, struct keel_decide_report *report)
{
    const double *rate =
        keel_estimates_of(scene->estimates, scene->workers, keel_candidates[candidate].estimate);

    for (uint32_t w = 0; w < scene->workers; w++) {
        report[w] = (struct keel_decide_report){rows[w], work[w], rate[w], rate[w]};
    }
}

/* How long the gain lasts, s. Slow estimates are assumed to hold for as long again as the job has
 * run. */
static double time_of_gain(const struct keel_candidates_scene *scene,
                           const struct keel_candidate *candidate)
{
    double remaining_s = scene->situation->remaining_s;
    double time_s = scene->lasting_s;

    if (candidate->rule == KEEL_CANDIDATE_PUBLISHED) {
        time_s = scene->stable_s;
    } else if (candidate->estimate == KEEL_ESTIMATE_LOW_16 ||
               candidate->estimate == KEEL_ESTIMATE_LONG_MEAN) {
        time_s = scene->elapsed_s;
    }
    return remaining_s >= 0 ? fmin(time_s, remaining_s) : time_s;
}

static struct keel_reason because(enum keel_cause cause, double first, double second)
{
    return (struct keel_reason){cause, {first, second}};
}

/* Why a candidate moves, or does not, if other shares are better. */
static struct keel_reason reason_of(const struct keel_candidate *candidate,
                                    const struct keel_candidates_step *step)
{
    bool published = candidate->rule == KEEL_CANDIDATE_PUBLISHED;
    double greatly = published ? KEEL_PROFIT_GREATLY : 1;

    if (candidate->rule == KEEL_CANDIDATE_MOVES) {
        return because(KEEL_CAUSE_ANY_COST, 0, 0);
    }
    if (!(step->gain >= candidate->threshold)) {
        return because(KEEL_CAUSE_SMALL_GAIN, step->gain, candidate->threshold);
    }
    if (!(step->cost_s <= greatly * step->saving_s) || (!published && !(step->saving_s > 0))) {
        return because(KEEL_CAUSE_COST, step->cost_s, step->saving_s);
    }
    return because(KEEL_CAUSE_GAIN, step->cost_s, step->saving_s);
}

/* Weighs the proposal. */
static struct keel_candidates_step weigh(const struct keel_candidates_scene *scene,
                                         const struct keel_candidate *candidate,
                                         struct keel_proposal *proposal)
{
    struct keel_proposal_movement movement = keel_proposal_movement(proposal);
    struct keel_candidates_step step = {
        .gain =
            keel_threshold_gain(keel_proposal_time_s(proposal, proposal->work, proposal->rate),
                                keel_proposal_time_s(proposal, proposal->after, proposal->rate)),
        .cost_s = keel_profit_cost_estimate(scene->cost, movement.messages, movement.bytes),
    };

    step.saving_s = step.gain * time_of_gain(scene, candidate);
    step.reason = reason_of(candidate, &step);
    step.moves = step.reason.cause == KEEL_CAUSE_GAIN || step.reason.cause == KEEL_CAUSE_ANY_COST;
    return step;
}

struct keel_candidates_step keel_candidates_decide(const struct keel_candidates_scene *scene,
                                                   unsigned candidate, const uint64_t *rows,
                                                   const double *work, uint64_t *wanted,
                                                   const struct keel_candidates_room *room)
{
    const struct keel_candidate *who = &keel_candidates[candidate];
    struct keel_decide_rules rules = {.kind = KEEL_DECIDE_BY_RATE, .adjacent = scene->adjacent};
    struct keel_candidates_step step = {.reason = because(KEEL_CAUSE_LEVEL, 0, 0)};
    struct keel_proposal proposal = {.rules = &rules,
                                     .situation = scene->situation,
                                     .workers = scene->workers,
                                     .decision = scene->decision,
                                     .wanted = room->wanted_work,
                                     .wanted_rows = wanted};

    report_for(scene, candidate, rows, work, room->report);
    keel_proposal_begin(&proposal, room->report, room->scratch);
    if (who->rule == KEEL_CANDIDATE_STAYS) {
        step.reason = because(KEEL_CAUSE_STAYS, 0, 0);
    } else {
        keel_proposal_by_rates(&proposal, proposal.rate);
        step = keel_proposal_is_present(&proposal) ? step : weigh(scene, who, &proposal);
    }
    if (!step.moves) {
        keel_proposal_withdraw(&proposal);
    }
    return step;
}
