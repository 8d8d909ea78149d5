/* A comparison as it runs. */
#include "omp_ext/command/compare/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/compare/statistics/standing.h"
#include "omp_ext/machine/clock.h"
#include "schedules/arithmetic/chance.h"

#define FIRST_TIMEOUT_S 600.0 /* of the first run */
#define SLOWER_AT_MOST 20.0   /* a run than the longest of the reference */
#define TIMEOUT_EXTRA_S 30.0
#define KEPT_FOR_LOOPS 0.2 /* of the budget, for a line with a schedule for each loop */
#define GIVEN_UP_AFTER 3   /* rounds */
#define GIVEN_UP_FROM 1.5  /* times the best one's time, in each round */

/* --- what is known --- */

double keel_session_left_s(const struct keel_session *session)
{
    return session->begin_s + session->request->budget_s - keel_clock_s();
}

uint64_t keel_session_chance(struct keel_session *session)
{
    return keel_chance_mix(session->chance++);
}

bool keel_session_runs(const struct keel_session *session, size_t candidate)
{
    const struct keel_session_candidate *of = &session->of[candidate];

    return of->failure[0] == '\0' && !of->given_up;
}

static size_t count_running(const struct keel_session *session)
{
    size_t count = 0;

    for (size_t i = 0; i < session->candidates->count; i++) {
        count += keel_session_runs(session, i);
    }
    return count;
}

/* --- output --- */

static bool is_left_out(const struct keel_session *session,
                        const struct keel_results_difference *difference)
{
    const struct keel_left_out *left_out = &session->setup->results->left_out[difference->file];

    for (size_t i = 0; i < left_out->count; i++) {
        if (left_out->line[i] == difference->difference.line) {
            return true;
        }
    }
    return false;
}

/* The reference itself differs: nobody is to be blamed for the same lines. */
static void leave_out(struct keel_session *session)
{
    session->unsteady = true;
    session->incomparable = !keel_results_leave_out(session->setup->results);
    for (size_t i = 1; i < session->candidates->count; i++) {
        struct keel_session_candidate *of = &session->of[i];
        if (session->incomparable || is_left_out(session, &of->difference)) {
            of->differing = 0;
        }
    }
}

static void compare_output(struct keel_session *session, size_t candidate)
{
    struct keel_session_candidate *of = &session->of[candidate];
    struct keel_results_difference difference;

    if (session->incomparable || keel_results_equal(session->setup->results, &difference)) {
        return;
    }
    if (candidate == 0) {
        leave_out(session);
        return;
    }
    if (of->differing == 0) {
        of->difference = difference;
    }
    of->differing++;
}

/* --- one run --- */

static bool record(struct keel_session *session, size_t round, size_t order, size_t candidate,
                   const struct keel_group_run_end *end)
{
    struct keel_session_run *longer =
        reallocarray(session->run, session->runs + 1, sizeof *session->run);

    if (longer == NULL) {
        return false;
    }
    session->run = longer;
    session->run[session->runs++] = (struct keel_session_run){round, order, candidate, *end};
    return true;
}

/* Notes what a good run has shown; samples count rounds from 0. */
static bool note(struct keel_session *session, size_t round, size_t candidate, double seconds)
{
    struct keel_session_candidate *of = &session->of[candidate];

    of->expected_s = fmax(of->expected_s, seconds);
    if (candidate == 0 && session->request->timeout_s <= 0) {
        session->setup->timeout_s = TIMEOUT_EXTRA_S + SLOWER_AT_MOST * of->expected_s;
    }
    if (round == 0) {
        of->warm_s = seconds;
        return true;
    }
    keel_loop_times_read(&session->loops, session->setup->report, round - 1, candidate);
    return keel_samples_note(&session->samples, round - 1, candidate, seconds);
}

/* What has failed once is no choice, however fast it was before. */
static void forget(struct keel_session *session, size_t candidate)
{
    session->of[candidate].warm_s = 0;
    for (size_t round = 0; candidate > 0 && round < session->samples.rounds; round++) {
        keel_samples_note(&session->samples, round, candidate, NAN);
    }
    for (size_t i = 0; candidate > 0 && i < session->loops.count; i++) {
        struct keel_samples *samples = &session->loops.of[i].samples;
        for (size_t round = 0; round < samples->rounds; round++) {
            keel_samples_note(samples, round, candidate, NAN);
        }
    }
}

/* After a trial that was not good. -1: go on; else why the session ends. */
static int give_up_on(struct keel_session *session, size_t candidate,
                      const struct keel_trial *trial)
{
    if (trial->kind == KEEL_TRIAL_SIGNAL) {
        return KEEL_SESSION_SIGNAL;
    }
    if (trial->kind == KEEL_TRIAL_NOT_BEGUN) {
        session->error = trial->end.error;
        return KEEL_SESSION_NOT_BEGUN;
    }
    memcpy(session->of[candidate].failure, trial->failure, sizeof trial->failure);
    forget(session, candidate);
    return candidate == 0 ? KEEL_SESSION_REFERENCE : -1;
}

/* The same after any trial. */
static int run_one(struct keel_session *session, size_t round, size_t order, size_t candidate)
{
    struct keel_trial trial = keel_trial_do(session->setup, &session->candidates->of[candidate]);

    if (trial.kind != KEEL_TRIAL_GOOD) {
        return give_up_on(session, candidate, &trial);
    }
    compare_output(session, candidate);
    return record(session, round, order, candidate, &trial.end) &&
                   note(session, round, candidate, trial.end.seconds)
               ? -1
               : KEEL_SESSION_MEMORY;
}

/* --- rounds --- */

/* Candidates that are still run, in random order; how many. */
static size_t draw_order(struct keel_session *session, size_t order[KEEL_CANDIDATES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < session->candidates->count; i++) {
        if (keel_session_runs(session, i)) {
            size_t place = keel_session_chance(session) % (count + 1);
            order[count++] = order[place];
            order[place] = i;
        }
    }
    return count;
}

/* Whether a run of the candidate is likely to end in time; who has not run takes as long as the
 * reference. Rounds that the person insists on are not asked for. */
static bool has_time(const struct keel_session *session, size_t round, size_t candidate)
{
    double known_s = session->of[candidate].expected_s;
    double expected_s = known_s > 0 ? known_s : session->of[0].expected_s;

    double kept_s = session->loops.count > 1 ? session->kept_s : 0;

    return (round <= session->request->rounds_min && session->request->rounds_min > 0) ||
           keel_session_left_s(session) - kept_s >= expected_s;
}

static int run_round(struct keel_session *session, size_t round)
{
    size_t order[KEEL_CANDIDATES_MAX];
    size_t count = draw_order(session, order);

    keel_progress_round(&session->progress, round, keel_session_left_s(session));
    for (size_t i = 0; i < count; i++) {
        if (!has_time(session, round, order[i])) {
            return KEEL_SESSION_BUDGET;
        }
        keel_progress_run(&session->progress, round, i + 1, count,
                          session->candidates->of[order[i]].name, keel_session_left_s(session));
        int end = run_one(session, round, i + 1, order[i]);
        if (end >= 0) {
            return end;
        }
    }
    session->rounds = round;
    return -1;
}

/* The first run decides what the output should be, and shows what the program has to say. */
static int run_reference(struct keel_session *session)
{
    double stated_s = session->request->timeout_s;

    session->setup->timeout_s = stated_s > 0 ? stated_s : FIRST_TIMEOUT_S;
    session->setup->shows_errors = true;
    struct keel_trial trial = keel_trial_do(session->setup, &session->candidates->of[0]);
    session->setup->shows_errors = false;
    if (trial.kind != KEEL_TRIAL_GOOD) {
        return give_up_on(session, 0, &trial);
    }
    session->incomparable = !keel_results_keep(session->setup->results);
    note(session, 0, 0, trial.end.seconds);
    return -1;
}

/* --- when to stop --- */

/* Whether the candidate is the fastest of all in a loop, by its last round. */
static bool leads_a_loop(const struct keel_session *session, size_t candidate)
{
    for (size_t i = 0; i < session->loops.count; i++) {
        const struct keel_samples *samples = &session->loops.of[i].samples;
        bool leads = samples->rounds > 0;
        for (size_t k = 0; leads && k < samples->candidates; k++) {
            leads = k == candidate || !(keel_samples_at(samples, samples->rounds - 1, k) <=
                                        keel_samples_at(samples, samples->rounds - 1, candidate));
        }
        if (leads) {
            return true;
        }
    }
    return false;
}

/* Where the budget is too small to go on with all: those that are far from the best in each round,
 * and in each loop. */
static void give_up(struct keel_session *session, const struct keel_standings *standings)
{
    double round_s = 0;

    for (size_t i = 0; i < session->candidates->count; i++) {
        round_s += keel_session_runs(session, i) ? session->of[i].expected_s : 0;
    }
    double missing = (double)session->sequence.first - (double)session->rounds;
    if (session->rounds < GIVEN_UP_AFTER || missing * round_s <= keel_session_left_s(session)) {
        return;
    }
    for (size_t i = 1; i < session->candidates->count; i++) {
        bool far = !session->candidates->of[i].libgomp && !leads_a_loop(session, i);
        for (size_t round = 0; round < session->rounds; round++) {
            far &= keel_samples_at(&session->samples, round, i) >
                   GIVEN_UP_FROM * keel_samples_at(&session->samples, round, standings->best);
        }
        session->of[i].given_up |= far;
    }
}

/* -1: go on. */
static int look(struct keel_session *session)
{
    struct keel_standings standings;
    int end = -1;

    if (count_running(session) < 2) {
        return KEEL_SESSION_ALONE;
    }
    if (!keel_standings_make(&standings, &session->samples, &session->sequence,
                             session->request->matters)) {
        return KEEL_SESSION_MEMORY;
    }
    if (session->rounds >= session->request->rounds_min) {
        end = keel_standings_settled(&standings, &session->samples) ? KEEL_SESSION_SETTLED : -1;
        give_up(session, &standings);
    }
    keel_standings_free(&standings);
    if (end < 0 && session->rounds >= session->request->rounds_max) {
        end = KEEL_SESSION_ROUNDS;
    }
    return end;
}

/* Without a round, what warming up has shown is better than nothing. */
static void use_warm_up(struct keel_session *session)
{
    if (session->rounds > 0) {
        return;
    }
    session->warm_alone = true;
    for (size_t i = 0; i < session->candidates->count; i++) {
        if (session->of[i].warm_s > 0) {
            keel_samples_note(&session->samples, 0, i, session->of[i].warm_s);
        }
    }
}

/* Rounds from that one on, to the end. */
static enum keel_session_end run_rounds(struct keel_session *session, size_t round)
{
    int end = -1;

    for (; end < 0; round++) {
        end = run_round(session, round);
        if (end < 0 && round > 0) {
            end = look(session);
        }
    }
    keel_progress_end(&session->progress);
    return (enum keel_session_end)end;
}

enum keel_session_end keel_session_do(struct keel_session *session)
{
    int end = run_reference(session);

    if (end < 0) {
        end = (int)run_rounds(session, 0);
    }
    use_warm_up(session);
    return (enum keel_session_end)end;
}

enum keel_session_end keel_session_go_on(struct keel_session *session)
{
    session->kept_s = 0;
    return session->warm_alone ? KEEL_SESSION_BUDGET
                               : run_rounds(session, session->samples.rounds + 1);
}

/* --- the whole --- */

bool keel_session_begin(struct keel_session *session, const struct keel_session_request *request,
                        struct keel_candidates *candidates, struct keel_trial_setup *setup)
{
    double pairs = (double)candidates->count * (double)(candidates->count - 1) / 2;

    *session = (struct keel_session){
        .request = request,
        .candidates = candidates,
        .setup = setup,
        .progress = keel_progress_begin(false),
        .samples = {.candidates = candidates->count},
        .loops = {.candidates = candidates->count},
        .of = calloc(candidates->count, sizeof *session->of),
        .begin_s = keel_clock_s(),
        .kept_s = KEPT_FOR_LOOPS * request->budget_s,
        .chance = request->seed << 32,
    };
    keel_sign_sequence_make(&session->sequence, KEEL_SESSION_LEVEL / pairs);
    return session->of != NULL;
}

void keel_session_end(struct keel_session *session)
{
    keel_samples_free(&session->samples);
    keel_loop_times_free(&session->loops);
    free(session->of);
    free(session->run);
}
