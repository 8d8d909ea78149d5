/* A schedule for each loop that gains by one of its own. */
#define _GNU_SOURCE
#include "omp_ext/command/compare/combination.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/compare/statistics/order.h"
#include "omp_ext/command/parts/schedule_check.h"

#define TRIES_MAX 20 /* rounds beside the candidate alone */

/* --- what it would be --- */

static double median_s(const struct keel_samples *samples, size_t candidate)
{
    double *sorted = calloc(samples->rounds + 1, sizeof *sorted);
    size_t count = sorted != NULL ? keel_samples_sorted(samples, candidate, sorted) : 0;
    double median = keel_order_quantile(sorted, count, 0.5);

    free(sorted);
    return median;
}

/* Told apart, or, as long as nothing can be, faster in all rounds so far. */
static bool is_faster(const struct keel_session *session, const struct keel_samples *samples,
                      size_t candidate, size_t other)
{
    struct keel_ratio ratio = keel_ratio_of(samples, candidate, other, &session->sequence);

    if (ratio.rounds >= session->sequence.first || ratio.rounds < 2) {
        return ratio.high < 1;
    }
    for (size_t i = 0; i < samples->rounds; i++) {
        if (keel_samples_at(samples, i, candidate) >= keel_samples_at(samples, i, other)) {
            return false;
        }
    }
    return true;
}

static bool may_be_chosen(const struct keel_session *session, size_t candidate)
{
    return keel_candidate_is_plain(&session->candidates->of[candidate]) &&
           session->of[candidate].failure[0] == '\0' && session->of[candidate].differing == 0;
}

double keel_combination_gain(const struct keel_session *session, const struct keel_loop_time *loop,
                             size_t candidate, size_t *best)
{
    double own_s = median_s(&loop->samples, candidate), least_s = own_s;

    *best = candidate;
    for (size_t i = 0; i < session->candidates->count; i++) {
        double time_s = median_s(&loop->samples, i);
        if (i != candidate && may_be_chosen(session, i) && time_s < least_s &&
            is_faster(session, &loop->samples, i, candidate)) {
            least_s = time_s;
            *best = i;
        }
    }
    return *best != candidate ? own_s - least_s : 0;
}

/* Appends the rule for a loop where Keel can read it. */
static bool add_rule(struct keel_combination *combination, const char *place, const char *schedule)
{
    size_t length = strlen(combination->schedule);
    char rule[KEEL_COMBINATION_TEXT_MAX];

    snprintf(rule, sizeof rule, "%s=%s", place, schedule);
    struct keel_schedule_check check = keel_schedule_check(rule);
    if (check.problem[0] != '\0' || !check.rules ||
        length + 2 + strlen(rule) >= sizeof combination->schedule) {
        return false;
    }
    sprintf(combination->schedule + length, "; %s", rule);
    return true;
}

struct keel_combination keel_combination_of(const struct keel_session *session, size_t candidate)
{
    const struct keel_candidate *chosen = &session->candidates->of[candidate];
    double matters_s = session->request->matters * median_s(&session->samples, candidate);
    struct keel_combination combination = {0};

    if (chosen->schedule == NULL || (!chosen->libgomp && !keel_candidate_is_plain(chosen))) {
        return combination;
    }
    snprintf(combination.schedule, sizeof combination.schedule, "%s", chosen->schedule);
    for (size_t i = 0; i < session->loops.count; i++) {
        const struct keel_loop_time *loop = &session->loops.of[i];
        size_t best;
        double gain_s = keel_combination_gain(session, loop, candidate, &best);
        if (gain_s >= matters_s / 2 &&
            add_rule(&combination, loop->place, session->candidates->of[best].schedule)) {
            combination.loops++;
            combination.gain_s += gain_s;
        }
    }
    if (!(combination.gain_s >= matters_s)) {
        combination.loops = 0;
    }
    return combination;
}

/* --- whether it came true --- */

/* Not-a-number: it failed, its output differs, or a signal has come. */
static double time_run(struct keel_session *session, const struct keel_candidate *candidate)
{
    struct keel_trial trial = keel_trial_do(session->setup, candidate);
    struct keel_results_difference unused;

    if (trial.kind != KEEL_TRIAL_GOOD ||
        (!session->incomparable && !keel_results_equal(session->setup->results, &unused))) {
        return NAN;
    }
    return trial.end.seconds;
}

/* One round of both in random order; false: one of them failed. */
static bool try_once(struct keel_session *session, const struct keel_candidate *const pair[2],
                     struct keel_samples *samples)
{
    size_t first = keel_session_chance(session) % 2, round = samples->rounds;

    for (size_t i = 0; i < 2; i++) {
        size_t place = first ^ i;
        double seconds = time_run(session, pair[place]);
        if (isnan(seconds) || !keel_samples_note(samples, round, place, seconds)) {
            return false;
        }
    }
    return true;
}

static bool won_all(const struct keel_samples *samples)
{
    for (size_t i = 0; i < samples->rounds; i++) {
        if (keel_samples_at(samples, i, 1) >= keel_samples_at(samples, i, 0)) {
            return false;
        }
    }
    return samples->rounds > 0;
}

void keel_combination_try(struct keel_combination *combination, struct keel_session *session,
                          size_t candidate)
{
    struct keel_candidate combined = session->candidates->of[candidate];
    const struct keel_candidate *const pair[2] = {&session->candidates->of[candidate], &combined};
    struct keel_sign_sequence sequence;
    struct keel_samples samples = {.candidates = 2};
    double round_s = 2 * session->of[candidate].expected_s;
    bool good = true;

    combined.schedule = combination->schedule;
    combination->ratio = (struct keel_ratio){.median = NAN, .high = INFINITY};
    keel_sign_sequence_make(&sequence, KEEL_SESSION_LEVEL);
    while (good && samples.rounds < TRIES_MAX && !keel_ratio_told(&combination->ratio) &&
           keel_session_left_s(session) >= round_s) {
        keel_progress_run(&session->progress, session->rounds, samples.rounds + 1, TRIES_MAX,
                          "a schedule for each loop", keel_session_left_s(session));
        good = try_once(session, pair, &samples);
        combination->ratio = keel_ratio_of(&samples, 1, 0, &sequence);
    }
    keel_progress_end(&session->progress);
    combination->runs = combination->ratio.rounds;
    combination->pays =
        good && combination->ratio.median < 1 &&
        (combination->ratio.high < 1 || (combination->runs < sequence.first && won_all(&samples)));
    keel_samples_free(&samples);
}
