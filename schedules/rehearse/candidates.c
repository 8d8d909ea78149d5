/* The candidates and their rules. */
#include "schedules/rehearse/candidates.h"

#include <math.h>

#include "schedules/learn/rate_filter.h"

#define STAYS KEEL_CANDIDATE_STAYS
#define PUBLISHED KEEL_CANDIDATE_PUBLISHED
#define MOVES KEEL_CANDIDATE_MOVES
#define WEIGHS KEEL_CANDIDATE_WEIGHS
#define BY(kind, estimate) KEEL_DECIDE_BY_##kind, KEEL_ESTIMATE_##estimate
#define LASTING KEEL_CANDIDATE_LASTING
#define DOUBLED KEEL_CANDIDATE_DOUBLED
#define PAUSE KEEL_CANDIDATE_PAUSE

/* Thresholds of those that weigh: small ones keep rates that scatter from moving single rows. */
const struct keel_candidate keel_candidates[KEEL_CANDIDATES] = {
    [KEEL_CANDIDATE_STAY] = {"stay", "keeps the first shares", STAYS, BY(RATE, LAST), 0, LASTING},
    [KEEL_CANDIDATE_PAPER] = {"paper", "the method of Siegell & Steenkiste 1997", PUBLISHED,
                              BY(RATE, FILTERED), KEEL_GAIN_THRESHOLD, LASTING},
    [KEEL_CANDIDATE_AT_ONCE] = {"at-once", "shares by the last rates, whatever it costs", MOVES,
                                BY(RATE, LAST), 0, LASTING},
    [KEEL_CANDIDATE_TREE] = {"tree", "the cluster tree of Kim & Purtilo 1996", MOVES,
                             BY(TREE, FILTERED), 0, LASTING},
    [KEEL_CANDIDATE_DIFFUSION] = {"diffusion", "diffusion in a ring of Franklin & Govindan 1995",
                                  MOVES, BY(DIFFUSION, FILTERED), 0, LASTING},
    [KEEL_CANDIDATE_STEADY] = {"steady", "by the last rates, where it saves 5 % and pays", WEIGHS,
                               BY(RATE, LAST), 0.05, LASTING},
    {"last", "by the last rates, where it pays", WEIGHS, BY(RATE, LAST), 0, LASTING},
    {"filtered", "by filtered rates, where it pays", WEIGHS, BY(RATE, FILTERED), 0.02, LASTING},
    {"mean", "by long means of rates, where it pays", WEIGHS, BY(RATE, LONG_MEAN), 0.02, DOUBLED},
    {"low-4", "by the lowest rates of late, where it pays", WEIGHS, BY(RATE, LOW_4), 0.02, LASTING},
    {"low-16", "by the lowest rates for longer, where it pays", WEIGHS, BY(RATE, LOW_16), 0.02,
     DOUBLED},
    {"low-16-steady", "the same, where it saves 10 %", WEIGHS, BY(RATE, LOW_16), 0.1, DOUBLED},
    {"lowest", "by the lowest rates of all, where it pays", WEIGHS, BY(RATE, LOWEST), 0.02,
     DOUBLED},
    [KEEL_CANDIDATE_FORESEEN] = {"foreseen",
                                 "by rates as they are foreseen where loads repeat, where it pays",
                                 WEIGHS, BY(RATE, FORESEEN), 0.02, PAUSE},
};

static void report_for(const struct keel_candidates_scene *scene, unsigned candidate,
                       const uint64_t *rows, const double *work, struct keel_decide_report *report)
{
    const double *rate =
        keel_estimates_of(scene->estimates, scene->workers, keel_candidates[candidate].estimate);

    for (uint32_t w = 0; w < scene->workers; w++) {
        report[w] = (struct keel_decide_report){rows[w], work[w], rate[w], rate[w]};
    }
}

/* For how long what is gained counts, s. */
static double time_of_gain(const struct keel_candidates_scene *scene,
                           const struct keel_candidate *candidate)
{
    double remaining_s = scene->situation->remaining_s;
    double time_s = scene->lasting_s;

    if (candidate->rule == KEEL_CANDIDATE_PUBLISHED || candidate->outlook == KEEL_CANDIDATE_PAUSE) {
        time_s = scene->stable_s;
    } else if (candidate->outlook == KEEL_CANDIDATE_DOUBLED) {
        time_s = scene->elapsed_s;
    }
    return remaining_s >= 0 ? fmin(time_s, remaining_s) : time_s;
}

static struct keel_reason because(enum keel_cause cause, double first, double second)
{
    return (struct keel_reason){cause, {first, second}};
}

/* Why a candidate moves, or why not, where other shares are better. */
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

/* Weighs what is proposed. */
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
        .messages = movement.messages,
        .bytes = movement.bytes,
    };

    step.saving_s = step.gain * time_of_gain(scene, candidate);
    if (candidate->rule == KEEL_CANDIDATE_WEIGHS && candidate->estimate == KEEL_ESTIMATE_LAST) {
        step.saving_s = fmax(0, step.gain - scene->by_chance) * time_of_gain(scene, candidate);
    }
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
    struct keel_decide_rules rules = {
        .kind = who->kind, .graph = KEEL_GRAPH_RING, .adjacent = scene->adjacent};
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
