/* A comparison as it runs: how each run is started, what it has shown, and when to stop. */
#define _GNU_SOURCE
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/compare/compare.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

#define FIRST_TIMEOUT_S 600.0 /* of the first run */
#define SLOWER_AT_MOST 20.0   /* a run than the longest of the reference */
#define TIMEOUT_EXTRA_S 30.0
#define SPARE 1.1 /* times the runs that are expected: what is between them */

/* --- how a candidate is run --- */

/* All runs are with Keel, which times loops. Schedules of Keel say by KEEL_SEEN whether a loop came
 * to them. */
static void set(struct keel_candidate *candidate, const struct keel_session *session)
{
    bool libgomp = candidate->kind == KEEL_CANDIDATE_LIBGOMP;
    bool keels = candidate->kind == KEEL_CANDIDATE_SCHEDULE;
    const struct keel_setting setting[KEEL_SETTINGS_MAX] = {
        {"LD_PRELOAD", session->preload},
        {"OMP_NUM_THREADS", session->options.threads},
        {"KEEL_SCHEDULE", libgomp ? "libgomp" : NULL},
        {candidate->variable, candidate->value},
        {"KEEL_REPORT", session->report},
        {"KEEL_SEEN", keels ? session->seen.path : keel_unset},
    };

    memcpy(candidate->setting, setting, sizeof setting);
}

bool keel_session_is_mpirun(const struct keel_session *session)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "mpirun.openmpi",
                                        "mpiexec.openmpi"};
    const char *slash = strrchr(session->options.program[0], '/');
    const char *name = slash != NULL ? slash + 1 : session->options.program[0];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return session->ranks > 0;
}

static size_t put(struct keel_candidate *candidate, size_t count, const char *word)
{
    candidate->argument =
        keel_command_room(candidate->argument, count, sizeof *candidate->argument);
    candidate->argument[count] = (char *)word;
    return count + 1;
}

/* Variables of the person's own for Keel, which ranks on other nodes would not get. */
static size_t put_own(struct keel_candidate *candidate, size_t count)
{
    for (char **variable = environ; *variable != NULL; variable++) {
        size_t length = strcspn(*variable, "=");
        bool ours = strncmp(*variable, "KEEL_", strlen("KEEL_")) == 0;
        for (const struct keel_setting *set = candidate->setting; set->name != NULL; set++) {
            ours &= set->value == NULL || strlen(set->name) != length ||
                    strncmp(set->name, *variable, length) != 0;
        }
        if (ours) {
            count = put(candidate, count, "-x");
            count = put(candidate, count, *variable);
        }
    }
    return count;
}

/* mpirun -n N, or the person's own, then -x NAME=VALUE for each setting: they are for its ranks,
 * and mpirun itself does not see them. */
static void wrap(struct keel_candidate *candidate, const struct keel_session *session)
{
    size_t count = put(candidate, 0, session->ranks > 0 ? "mpirun" : session->options.program[0]);

    if (session->ranks > 0) {
        count = put(candidate, count, "-n");
        count =
            put(candidate, count, keel_command_text("%llu", (unsigned long long)session->ranks));
        count = put_own(candidate, count);
    }
    for (const struct keel_setting *set = candidate->setting; set->name != NULL; set++) {
        if (set->value != NULL && set->value != keel_unset) {
            count = put(candidate, count, "-x");
            count = put(candidate, count, keel_command_text("%s=%s", set->name, set->value));
        }
    }
    for (char **word = session->options.program + (session->ranks == 0); *word != NULL; word++) {
        count = put(candidate, count, *word);
    }
    put(candidate, count, NULL);
}

/* --- a run --- */

#define LINE_MAX_SHOWN 200

/* The last line that is not empty; "" without any. */
static void take_last_line(const char *path, char line[LINE_MAX_SHOWN])
{
    FILE *file = fopen(path, "re");
    char next[LINE_MAX_SHOWN];

    line[0] = '\0';
    while (file != NULL && fgets(next, sizeof next, file) != NULL) {
        next[strcspn(next, "\n")] = '\0';
        if (next[0] != '\0') {
            memcpy(line, next, sizeof next);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void describe(const struct keel_session *session, const struct keel_group_run_end *end,
                     char failure[KEEL_FAILURE_MAX])
{
    char line[LINE_MAX_SHOWN];

    if (end->timed_out) {
        snprintf(failure, KEEL_FAILURE_MAX, "does not end within %g s (--timeout)",
                 session->timeout_s);
        return;
    }
    take_last_line(keel_results_path(&session->options.results, "stderr"), line);
    snprintf(failure, KEEL_FAILURE_MAX, "ends with %s%s%s%s",
             keel_group_run_status_text(end->status), line[0] != '\0' ? ": '" : "", line,
             line[0] != '\0' ? "'" : "");
}

/* Of a run that left no output, report or mark, none of an earlier one must be found. */
static void forget_last(const struct keel_session *session)
{
    unlink(session->report);
    unlink(keel_results_path(&session->options.results, "stderr"));
    keel_mark_file_empty(&session->seen);
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

/* After a run. Returns -1 if it was good, or the others go on, otherwise why the session ends. */
static int judge(struct keel_session *session, size_t candidate,
                 const struct keel_group_run_end *end)
{
    if (end->error != 0) {
        session->error = end->error;
        return KEEL_SESSION_NOT_BEGUN;
    }
    if (!end->timed_out && keel_group_run_signal() != 0) {
        return KEEL_SESSION_SIGNAL;
    }
    if (!end->timed_out && WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0) {
        return -1;
    }
    describe(session, end, session->of[candidate].failure);
    forget(session, candidate);
    return candidate == 0 ? KEEL_SESSION_REFERENCE : -1;
}

/* Its output stays where results say, its report, if it leaves any, in `report`, and whether a loop
 * came to a schedule of Keel's in `seen`, until the next run. shows_errors: standard error is this
 * process's; false: it is kept for the last message. Returns -1 to go on, otherwise why the session
 * ends. */
static int run_program(struct keel_session *session, size_t candidate, bool shows_errors,
                       double *seconds)
{
    /* of mpirun itself */
    static const struct keel_setting none[] = {
        {"KEEL_SEEN", keel_unset}, {"KEEL_REPORT", keel_unset}, {0}};
    const struct keel_candidate *of = &session->of[candidate];
    bool of_ranks = keel_session_is_mpirun(session);
    const struct keel_group_run run = {
        .program = of_ranks ? of->argument : session->options.program,
        .input = session->options.input,
        .out = strdupa(keel_results_stdout(&session->options.results)),
        .err =
            shows_errors ? NULL : strdupa(keel_results_path(&session->options.results, "stderr")),
        .timeout_s = session->timeout_s,
        .setting = of_ranks ? none : of->setting,
    };

    forget_last(session);
    struct keel_group_run_end end = keel_group_run_do(&run);
    end.error = end.error == 0 ? keel_temporary_try(session->options.results.folder) : end.error;
    *seconds = end.seconds;
    return judge(session, candidate, &end);
}

/* --- what is known --- */

static double left_s(const struct keel_session *session)
{
    return session->begin_s + session->options.budget_s - keel_clock_s();
}

static uint64_t draw(struct keel_session *session)
{
    return keel_chance_mix(session->chance++);
}

static bool runs(const struct keel_session *session, size_t candidate)
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
    double round_s = 0;

    for (size_t i = 0; i < session->count; i++) {
        double known_s = session->of[i].expected_s;
        if (runs(session, i)) {
            round_s += known_s > 0 ? known_s : session->of[0].expected_s;
        }
    }
    return SPARE * round_s * (session->sequence.first + 1);
}

static size_t count_running(const struct keel_session *session)
{
    size_t count = 0;

    for (size_t i = 0; i < session->count; i++) {
        count += runs(session, i);
    }
    return count;
}

/* --- output --- */

/* The reference itself differs: the same lines are no difference of others. */
static void leave_out(struct keel_session *session)
{
    session->incomparable = !keel_results_leave_out(&session->options.results);
    for (size_t i = 1; i < session->count; i++) {
        struct keel_candidate *of = &session->of[i];
        if (session->incomparable ||
            keel_left_out_has(&session->options.results.left_out[of->difference.file],
                              of->difference.difference.line)) {
            of->differing = 0;
        }
    }
}

static void compare_output(struct keel_session *session, size_t candidate)
{
    struct keel_results_difference difference;

    if (session->incomparable || keel_results_equal(&session->options.results, &difference)) {
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

/* Notes what a good run has shown; samples count rounds from 0. */
static void note(struct keel_session *session, size_t round, size_t candidate, double seconds)
{
    struct keel_candidate *of = &session->of[candidate];

    of->expected_s = fmax(of->expected_s, seconds);
    if (candidate == 0 && session->options.timeout_s <= 0) {
        session->timeout_s = TIMEOUT_EXTRA_S + SLOWER_AT_MOST * of->expected_s;
    }
    if (round == 0) {
        of->warm = true;
        of->reached = keel_mark_file_set(&session->seen);
        return;
    }
    keel_loop_times_read(&session->loops, session->report, round - 1, candidate);
    keel_samples_note(&session->samples, round - 1, candidate, seconds);
}

static int run_one(struct keel_session *session, size_t round, size_t candidate)
{
    double seconds;
    int end = run_program(session, candidate, false, &seconds);

    if (end < 0 && runs(session, candidate)) {
        compare_output(session, candidate);
        note(session, round, candidate, seconds);
    }
    return end;
}

/* --- rounds --- */

/* Candidates that are still run, in random order; how many. The reference has warmed up before. */
static size_t draw_order(struct keel_session *session, size_t round,
                         size_t order[KEEL_CANDIDATES_MAX])
{
    size_t count = 0;

    for (size_t i = round == 0; i < session->count; i++) {
        if (runs(session, i)) {
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

    return (round <= session->rounds_wanted[0] && session->rounds_wanted[0] > 0) ||
           left_s(session) >= expected_s;
}

static void show_progress(const struct keel_session *session, size_t round)
{
    char where[32] = "warming up";

    if (round > 0) {
        snprintf(where, sizeof where, "round %zu", round);
    }
    keel_message("%s; at most %.0f s left", where, fmax(left_s(session), 0));
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

/* The first run decides what the output should be, and shows what the program has to say. The
 * second one shows what of that varies by itself, before any other schedule is compared. */
bool keel_session_do_reference(struct keel_session *session, enum keel_session_end *end)
{
    double stated_s = session->options.timeout_s, seconds;

    session->timeout_s = stated_s > 0 ? stated_s : FIRST_TIMEOUT_S;
    int failed = run_program(session, 0, true, &seconds);
    if (failed < 0) {
        session->incomparable = !keel_results_keep(&session->options.results);
        note(session, 0, 0, seconds);
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

    if (count_running(session) < 2) {
        return KEEL_SESSION_ALONE;
    }
    keel_standings_make(&standings, &session->samples, &session->sequence, session->matters);
    if (session->rounds >= session->rounds_wanted[0] &&
        keel_standings_settled(&standings, &session->samples)) {
        return KEEL_SESSION_SETTLED;
    }
    return session->rounds >= session->rounds_wanted[1] ? KEEL_SESSION_ROUNDS : -1;
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

    for (size_t i = 0; i < session->count; i++) {
        const struct keel_candidate *candidate = &session->of[i];
        any |= candidate->kind == KEEL_CANDIDATE_SCHEDULE && candidate->warm;
        reached |= candidate->reached;
    }
    return any && !reached && !keel_session_is_mpirun(session);
}

enum keel_session_end keel_session_do_rounds(struct keel_session *session)
{
    int end = run_round(session, 0);

    if (end >= 0) {
        return (enum keel_session_end)end;
    }
    return is_unseen(session)           ? KEEL_SESSION_UNSEEN
           : count_running(session) < 2 ? KEEL_SESSION_ALONE
                                        : run_rounds(session);
}

/* --- the whole --- */

void keel_session_begin(struct keel_session *session)
{
    snprintf(session->report, sizeof session->report, "%s",
             keel_results_path(&session->options.results, "report.json"));
    snprintf(session->seen.path, sizeof session->seen.path, "%s",
             keel_results_path(&session->options.results, "seen"));
    session->samples.candidates = session->count;
    session->loops.candidates = session->count;
    session->begin_s = keel_clock_s();
    session->chance = session->options.seed << 32;
    make_sequence(&session->sequence, session->count);
    for (size_t i = 0; i < session->count; i++) {
        set(&session->of[i], session);
        wrap(&session->of[i], session);
    }
}
