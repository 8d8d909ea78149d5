/* Runs of the program, each compared with the reference. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/check/check_command.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/support/message.h"

/* --- the environment of a run --- */

/* Whether order within a thread matters is the user's word. */
static const char * override(bool takes_explicit)
{
    const char *said = getenv("KEEL_OVERRIDE");
    bool nonmonotonic = said != NULL && strcasestr(said, "nonmonotonic") != NULL;

    return !takes_explicit ? NULL : nonmonotonic ? "dynamic,guided,nonmonotonic" : "dynamic,guided";
}

/* What has been asked for by the environment is not what is checked. Shares of runtime loops are
 * the ones that least depend on chance, unless the user has set another schedule. */
static void prepare_environment(const void *context)
{
    static const char *const unwanted[] = {"KEEL_SCHEDULE", "KEEL_TRACE",  "KEEL_MEMORY",
                                           "KEEL_EXPLAIN",  "KEEL_REPORT", "KEEL_SEEN"};
    const struct keel_checked_run *checked_run = context;

    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        unsetenv(unwanted[i]);
    }
    setenv("OMP_SCHEDULE", "static", 0);
    keel_child_set("OMP_NUM_THREADS", checked_run->threads);
    if (checked_run->preloading != NULL) {
        keel_child_set("LD_LIBRARY_PATH", checked_run->preloading->library_path);
        keel_child_set("LD_PRELOAD", checked_run->preloading->preload);
        keel_child_set("KEEL_OVERRIDE", override(checked_run->takes_explicit));
        keel_child_set("KEEL_CHECK", checked_run->check);
    }
}

/* As keel_group_run_do(). */
static struct keel_group_run_end do_checked(const struct keel_checked_run *checked_run)
{
    struct keel_group_run run = checked_run->run;

    run.prepare = prepare_environment;
    run.context = checked_run;
    return keel_group_run_do(&run);
}

/* --- files --- */

const char *keel_runs_report(const struct keel_runs *runs)
{
    return keel_results_path(&runs->results, "report");
}

bool keel_runs_begin(struct keel_runs *runs)
{
    if (!keel_results_begin(&runs->results, "keel-check")) {
        return false;
    }
    FILE *report = fopen(keel_runs_report(runs), "we");
    if (report == NULL) {
        keel_message("'%s' cannot be written: %s", keel_runs_report(runs), strerror(errno));
        return false;
    }
    fclose(report);
    return true;
}

void keel_runs_end(struct keel_runs *runs)
{
    keel_results_end(&runs->results);
}

/* --- one run --- */

static bool write_list(const struct keel_runs *runs, const char *name,
                       const struct keel_loops *loops, const size_t *member, size_t count)
{
    FILE *file = fopen(keel_results_path(&runs->results, name), "we");

    if (file == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s\n", keel_loops_name(loops, member[i]));
    }
    return fclose(file) == 0;
}

/* The lists that libkeel.so reads. */
static bool write_lists(const struct keel_runs *runs, const struct keel_run_setting *setting)
{
    if (setting->loops == NULL) {
        return unlink(keel_results_path(&runs->results, "active")) == 0 || errno == ENOENT;
    }
    return write_list(runs, "active", setting->loops, setting->active, setting->active_count) &&
           write_list(runs, "barriers", setting->loops, setting->barrier, setting->barrier != NULL);
}

static struct keel_group_run_end run_once(struct keel_runs *runs,
                                          const struct keel_run_setting *setting)
{
    struct keel_checked_run checked_run = runs->checked_run;

    checked_run.run.out = strdupa(keel_results_stdout(&runs->results));
    checked_run.run.err = setting->shows_errors ? NULL : "/dev/null";
    checked_run.threads = setting->threads != NULL ? setting->threads : checked_run.threads;
    if (!setting->checked) {
        checked_run.preloading = NULL;
    } else if (!write_lists(runs, setting)) {
        return (struct keel_group_run_end){.error = errno};
    }
    snprintf(checked_run.check, sizeof checked_run.check, "seed=%llu%s,folder=%s",
             (unsigned long long)setting->seed, setting->others_serial ? ",others=one" : "",
             runs->results.folder);
    struct keel_group_run_end end = do_checked(&checked_run);
    if (!end.timed_out && end.seconds > runs->longest_s) {
        runs->longest_s = end.seconds;
    }
    return end;
}

/* NOT_BEGUN or TIMEOUT, else SAME. */
static struct keel_outcome outcome_of(const struct keel_group_run_end *end)
{
    struct keel_outcome outcome = {.kind = KEEL_OUTCOME_SAME};

    if (end->error != 0 || keel_group_run_signal() != 0) {
        outcome = (struct keel_outcome){.kind = KEEL_OUTCOME_NOT_BEGUN, .error = end->error};
    } else if (end->timed_out) {
        outcome.kind = KEEL_OUTCOME_TIMEOUT;
    }
    return outcome;
}

/* The least tolerance that makes the last run's results those of the reference; 0: it is more than
 * rounding. */
static double rounding_of(const struct keel_runs *runs)
{
    struct keel_results results = runs->results;
    struct keel_results_difference difference;

    for (double tolerance = 1e-15; tolerance < 2 * KEEL_ROUNDING_MAX; tolerance *= 10) {
        results.how.tolerance = tolerance;
        if (tolerance > runs->results.how.tolerance && keel_results_equal(&results, &difference)) {
            return tolerance;
        }
    }
    return 0;
}

struct keel_outcome keel_runs_do(struct keel_runs *runs, const struct keel_run_setting *setting)
{
    struct keel_group_run_end end = run_once(runs, setting);
    struct keel_outcome outcome = outcome_of(&end);

    if (outcome.kind == KEEL_OUTCOME_SAME && end.status != runs->status) {
        outcome = (struct keel_outcome){.kind = KEEL_OUTCOME_STATUS, .status = end.status};
    }
    if (outcome.kind == KEEL_OUTCOME_SAME && !keel_results_equal(&runs->results, &outcome.output)) {
        outcome.kind = KEEL_OUTCOME_OUTPUT;
        outcome.rounding = rounding_of(runs);
    }
    return outcome;
}

struct keel_outcome keel_runs_set_reference(struct keel_runs *runs,
                                            const struct keel_run_setting *setting)
{
    struct keel_group_run_end end = run_once(runs, setting);
    struct keel_outcome outcome = outcome_of(&end);

    runs->status = end.status;
    if (outcome.kind == KEEL_OUTCOME_SAME && !keel_results_keep(&runs->results)) {
        outcome = (struct keel_outcome){.kind = KEEL_OUTCOME_NOT_BEGUN, .error = errno};
    }
    return outcome;
}

bool keel_runs_leave_out(struct keel_runs *runs)
{
    return keel_results_leave_out(&runs->results);
}

bool keel_runs_over(const struct keel_runs *runs)
{
    return keel_clock_s() >= runs->end_s || keel_group_run_signal() != 0;
}

/* --- words --- */

void keel_runs_describe(const struct keel_runs *runs, const struct keel_outcome *outcome,
                        char *text)
{
    char status[64];

    switch (outcome->kind) {
    case KEEL_OUTCOME_OUTPUT:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "%s line %llu: '%s' instead of '%s'",
                 keel_results_name(&runs->results, outcome->output.file),
                 (unsigned long long)outcome->output.difference.line,
                 outcome->output.difference.got, outcome->output.difference.wanted);
        break;
    case KEEL_OUTCOME_STATUS:
        snprintf(status, sizeof status, "%s", keel_group_run_status_text(outcome->status));
        snprintf(text, KEEL_RUNS_TEXT_MAX, "%s instead of %s", status,
                 keel_group_run_status_text(runs->status));
        break;
    case KEEL_OUTCOME_TIMEOUT:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "no end within %.0f s", runs->checked_run.run.timeout_s);
        break;
    case KEEL_OUTCOME_NOT_BEGUN:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "cannot be run: %s",
                 outcome->error != 0 ? strerror(outcome->error) : "interrupted");
        break;
    default:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "the same");
    }
}
