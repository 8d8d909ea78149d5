/* A schedule for each loop that gains by one of its own. */
#define _GNU_SOURCE
#include "omp_ext/command/compare/combination.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/compare/statistics/order.h"
#include "omp_ext/command/parts/schedule_check.h"

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
    struct keel_combination combination = {.tried = KEEL_PAIR_NOT_TRIED};

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

void keel_combination_try(struct keel_combination *combination, struct keel_session *session,
                          size_t candidate)
{
    struct keel_candidate combined = session->candidates->of[candidate];
    const struct keel_candidate *const pair[2] = {&session->candidates->of[candidate], &combined};

    combined.schedule = combination->schedule;
    combined.libgomp = false;
    if (keel_session_left_s(session) >= 2 * session->of[candidate].expected_s) {
        combination->tried = keel_session_try(session, pair, "a schedule for each loop");
    }
}
