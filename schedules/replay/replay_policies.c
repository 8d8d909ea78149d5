/* The candidates and their rules. */
#include "schedules/replay/replay_policies.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/learn.h"

const struct keel_candidate keel_candidates[KEEL_CANDIDATES] = {
    [KEEL_CANDIDATE_STAY] = {"stay", "keeps the first shares", KEEL_CANDIDATE_STAYS,
                             KEEL_ESTIMATE_LAST, 0},
    [KEEL_CANDIDATE_PAPER] = {"paper", "the method of Siegell & Steenkiste 1997",
                              KEEL_CANDIDATE_PUBLISHED, KEEL_ESTIMATE_FILTERED,
                              KEEL_GAIN_THRESHOLD},
    [KEEL_CANDIDATE_AT_ONCE] = {"at-once", "shares by the last rates, whatever it costs",
                                KEEL_CANDIDATE_MOVES, KEEL_ESTIMATE_LAST, 0},
    [KEEL_CANDIDATE_STEADY] = {"steady", "by the last rates, where it saves 5 % and pays",
                               KEEL_CANDIDATE_WEIGHS, KEEL_ESTIMATE_LAST, KEEL_REPLAY_STEADY_GAIN},
    [KEEL_CANDIDATE_FILTERED] = {"filtered", "by filtered rates, where it pays",
                                 KEEL_CANDIDATE_WEIGHS, KEEL_ESTIMATE_FILTERED,
                                 KEEL_REPLAY_OTHERS_GAIN},
    [KEEL_CANDIDATE_MEAN] = {"mean", "by long means of rates, where it pays", KEEL_CANDIDATE_WEIGHS,
                             KEEL_ESTIMATE_LONG_MEAN, KEEL_REPLAY_OTHERS_GAIN},
    [KEEL_CANDIDATE_LOW_16] = {"low-16", "by the lowest rates of a while, where it pays",
                               KEEL_CANDIDATE_WEIGHS, KEEL_ESTIMATE_LOW_16,
                               KEEL_REPLAY_OTHERS_GAIN},
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
    if (candidate->rule == KEEL_CANDIDATE_PUBLISHED) {
        return scene->stable_s;
    }
    return candidate->estimate == KEEL_ESTIMATE_LOW_16 ||
                   candidate->estimate == KEEL_ESTIMATE_LONG_MEAN
               ? scene->elapsed_s
               : scene->lasting_s;
}

struct keel_decision keel_candidates_decide(const struct keel_candidates_scene *scene,
                                            unsigned candidate, const uint64_t *rows,
                                            const double *work, uint64_t *wanted,
                                            const struct keel_candidates_room *room)
{
    static const double greatly[] = {[KEEL_CANDIDATE_PUBLISHED] = KEEL_PROFIT_GREATLY,
                                     [KEEL_CANDIDATE_MOVES] = INFINITY,
                                     [KEEL_CANDIDATE_WEIGHS] = 1};
    const struct keel_candidate *who = &keel_candidates[candidate];
    struct keel_decide_rules rules = {.kind = KEEL_DECIDE_BY_RATE, .adjacent = scene->adjacent};
    struct keel_proposal proposal = {.rules = &rules,
                                     .situation = scene->situation,
                                     .workers = scene->workers,
                                     .decision = scene->decision,
                                     .wanted = room->wanted_work,
                                     .wanted_rows = wanted};

    report_for(scene, candidate, rows, work, room->report);
    keel_proposal_begin(&proposal, room->report, room->scratch);
    if (who->rule == KEEL_CANDIDATE_STAYS) {
        keel_proposal_withdraw(&proposal);
        return (struct keel_decision){.verdict = KEEL_DECISION_KEEP,
                                      .reason.cause = KEEL_CAUSE_STAYS};
    }
    keel_proposal_by_rates(&proposal, proposal.rate);
    struct keel_decide_terms terms = {.threshold =
                                          keel_proposal_is_present(&proposal) ? 0 : who->threshold,
                                      .greatly = greatly[who->rule],
                                      .stable_s = time_of_gain(scene, who),
                                      .remaining_s = keel_proposal_remaining_s(&proposal),
                                      .may_save_nothing = who->rule == KEEL_CANDIDATE_PUBLISHED};
    return keel_decide_weigh(&proposal, scene->cost, &terms);
}
