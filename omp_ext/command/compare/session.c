/* A comparison as it runs. */
#include "omp_ext/command/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/compare/statistics.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/chance.h"

#define FIRST_TIMEOUT_S 600.0 /* of the first run */
#define SLOWER_AT_MOST 20.0   /* a run than the longest of the reference */
#define TIMEOUT_EXTRA_S 30.0
#define SPARE 1.1    /* times the runs that are expected: what is between them */

/* --- what is known --- */

double keel_session_left_s(const struct keel_session *session)
{
    return session->begin_s + session->request->budget_s - keel_clock_s();
}

static uint64_t draw(struct keel_session *session)
{
    return keel_chance_mix(session->chance++);
}

bool keel_session_runs(const struct keel_session *session, size_t candidate)
{
    return session->of[candidate].failure[0] == '\0';
}

static void make_sequence(struct keel_sign_sequence *sequence, size_t candidates)
{
    double pairs = (double)candidates * (double)(candidates - 1) / 2;

    keel_sign_sequence_make(sequence, KEEL_SESSION_LEVEL / fmax(pairs, 1));
}

double keel_session_expected_s(const struct keel_session *session)
{
    return SPARE * session->of[0].expected_s * (double)session->candidates->count *
           (session->sequence.first + 1);
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

/* The reference itself differs: the same lines are no difference of others. */
static void leave_out(struct keel_session *session)
{
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
    struct keel_results_difference difference;

    if (session->incomparable || keel_results_equal(session->setup->results, &difference)) {
        return;
    }
    if (candidate == 0) {
        if (!session->unsteady) {
            session->variation = difference;
        }
        session->unsteady = true;
        leave_out(session);
        return;
    }
    if (session->of[candidate].differing++ == 0) {
        session->of[candidate].difference = difference;
    }
}

/* --- one run --- */

/* Notes what a good run has shown; samples count rounds from 0. */
static bool note(struct keel_session *session, size_t round, size_t candidate, double seconds)
{
    struct keel_session_candidate *of = &session->of[candidate];

    of->expected_s = fmax(of->expected_s, seconds);
    if (candidate == 0 && session->request->timeout_s <= 0) {
        session->setup->timeout_s = TIMEOUT_EXTRA_S + SLOWER_AT_MOST * of->expected_s;
    }
    if (round == 0) {
        of->warm = true;
        of->reached = keel_mark_file_set(&session->setup->seen);
        return true;
    }
    keel_loop_times_read(&session->loops, session->setup->report, round - 1, candidate);
    return keel_samples_note(&session->samples, round - 1, candidate, seconds);
}

/* What has failed once is no choice, however fast it was before. */
static void forget(struct keel_session *session, size_t candidate)
{
    session->of[candidate].warm = false;
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
static int run_one(struct keel_session *session, size_t round, size_t candidate)
{
    struct keel_trial trial = keel_trial_do(session->setup, &session->candidates->of[candidate]);

    if (trial.kind != KEEL_TRIAL_GOOD) {
        return give_up_on(session, candidate, &trial);
    }
    compare_output(session, candidate);
    return note(session, round, candidate, trial.end.seconds) ? -1 : KEEL_SESSION_MEMORY;
}

/* --- rounds --- */

/* Candidates that are still run, in random order; how many. The reference has warmed up before. */
static size_t draw_order(struct keel_session *session, size_t round,
                         size_t order[KEEL_CANDIDATES_MAX])
{
    size_t count = 0;

    for (size_t i = round == 0; i < session->candidates->count; i++) {
        if (keel_session_runs(session, i)) {
            size_t place = draw(session) % (count + 1);
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

    return (round <= session->request->rounds_min && session->request->rounds_min > 0) ||
           keel_session_left_s(session) >= expected_s;
}

static void show_progress(const struct keel_session *session, size_t round)
{
    char where[32] = "warming up";

    if (round > 0) {
        snprintf(where, sizeof where, "round %zu", round);
    }
    keel_message("%s; at most %.0f s left", where, fmax(keel_session_left_s(session), 0));
}

static int run_round(struct keel_session *session, size_t round)
{
    size_t order[KEEL_CANDIDATES_MAX];
    size_t count = draw_order(session, round, order);

    show_progress(session, round);
    for (size_t i = 0; i < count; i++) {
        if (!has_time(session, round, order[i])) {
            return KEEL_SESSION_BUDGET;
        }
        int end = run_one(session, round, order[i]);
        if (end >= 0) {
            return end;
        }
    }
    session->rounds = round;
    return -1;
}

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

/* The first run decides what the output should be, and shows what the program has to say. The
 * second one shows what of that varies by itself, before any other schedule is compared. */
bool keel_session_do_reference(struct keel_session *session, enum keel_session_end *end)
{
    int failed = run_reference(session);

    if (failed < 0) {
        failed = run_one(session, 0, 0);
    }
    *end = (enum keel_session_end)failed;
    return failed < 0;
}

/* --- when to stop --- */

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
    }
    keel_standings_free(&standings);
    if (end < 0 && session->rounds >= session->request->rounds_max) {
        end = KEEL_SESSION_ROUNDS;
    }
    return end;
}

static enum keel_session_end run_rounds(struct keel_session *session)
{
    int end = -1;

    for (size_t round = 1; end < 0; round++) {
        end = run_round(session, round);
        if (end < 0) {
            end = look(session);
        }
    }
    return (enum keel_session_end)end;
}

/* Whether a schedule of Keel's has run, and no loop came to any. Ranks may run where their marks do
 * not come from. */
static bool is_unseen(const struct keel_session *session)
{
    bool any = false, reached = false;

    for (size_t i = 0; i < session->candidates->count; i++) {
        const struct keel_candidate *candidate = &session->candidates->of[i];
        any |= candidate->kind == KEEL_CANDIDATE_SCHEDULE && session->of[i].warm;
        reached |= session->of[i].reached;
    }
    return any && !reached && !keel_launch_is_mpirun(&session->setup->launch);
}

enum keel_session_end keel_session_do_rounds(struct keel_session *session)
{
    int end = run_round(session, 0);

    if (end >= 0) {
        return (enum keel_session_end)end;
    }
    return is_unseen(session)             ? KEEL_SESSION_UNSEEN
           : count_running(session) < 2 ? KEEL_SESSION_ALONE
                                          : run_rounds(session);
}

/* --- the whole --- */

bool keel_session_begin(struct keel_session *session, const struct keel_session_request *request,
                        struct keel_candidates *candidates, struct keel_trial_setup *setup)
{
    *session = (struct keel_session){
        .request = request,
        .candidates = candidates,
        .setup = setup,
        .samples = {.candidates = candidates->count},
        .loops = {.candidates = candidates->count},
        .of = calloc(candidates->count, sizeof *session->of),
        .begin_s = keel_clock_s(),
        .chance = request->seed << 32,
    };
    make_sequence(&session->sequence, candidates->count);
    return session->of != NULL;
}

void keel_session_end(struct keel_session *session)
{
    keel_samples_free(&session->samples);
    keel_loop_times_free(&session->loops);
    free(session->of);
}
