/* Runs of the program, each compared with the reference. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/check/check_command.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/machine/clock.h"

/* --- the environment of a run --- */

/* Whether order within a thread matters is the user's word. */
static const char * override(bool as_written)
{
    const char *said = getenv("KEEL_OVERRIDE");
    bool nonmonotonic = said != NULL && strcasestr(said, "nonmonotonic") != NULL;

    return as_written ? NULL : nonmonotonic ? "dynamic,guided,nonmonotonic" : "dynamic,guided";
}

/* --- one run --- */

const char *keel_loops_name(const struct keel_loops *loops, size_t member)
{
    return member < loops->count ? loops->name[member] : loops->region[member - loops->count];
}

static bool write_list(const struct keel_check *check, const char *name,
                       const struct keel_loops *loops, const size_t *member, size_t count)
{
    FILE *file = fopen(keel_results_path(&check->options.results, name), "we");

    if (file == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s\n", keel_loops_name(loops, member[i]));
    }
    return fclose(file) == 0;
}

/* The lists that libkeel.so reads. */
static bool write_lists(const struct keel_check *check, const struct keel_run_setting *setting)
{
    if (setting->loops == NULL) {
        return unlink(keel_results_path(&check->options.results, "active")) == 0 || errno == ENOENT;
    }
    return write_list(check, "active", setting->loops, setting->active, setting->active_count) &&
           write_list(check, "barriers", setting->loops, setting->barrier,
                      setting->barrier != NULL);
}

/* What has been asked for by the environment is not what is checked. Shares of runtime loops are
 * the ones that least depend on chance, unless the user has set another schedule. */
static struct keel_group_run_end run_once(struct keel_check *check,
                                          const struct keel_run_setting *setting)
{
    bool checked = setting->checked;
    char *asked = keel_command_text("seed=%llu%s,folder=%s", (unsigned long long)setting->seed,
                                    setting->others_serial ? ",others=one" : "",
                                    check->options.results.folder);
    const struct keel_setting settings[] = {
        {"KEEL_SCHEDULE", keel_unset},
        {"KEEL_TRACE", keel_unset},
        {"KEEL_MEMORY", keel_unset},
        {"KEEL_EXPLAIN", keel_unset},
        {"KEEL_REPORT", keel_unset},
        {"KEEL_SEEN", keel_unset},
        {"OMP_SCHEDULE", getenv("OMP_SCHEDULE") == NULL ? "static" : NULL},
        {"OMP_NUM_THREADS", setting->threads != NULL ? setting->threads : check->options.threads},
        {"LD_PRELOAD", checked ? check->preload : NULL},
        {"KEEL_OVERRIDE", checked ? override(check->as_written) : NULL},
        {"KEEL_CHECK", checked ? asked : NULL},
        {0},
    };
    const struct keel_group_run run = {
        .program = check->options.program,
        .input = check->options.input,
        .out = strdupa(keel_results_stdout(&check->options.results)),
        .err = setting->shows_errors ? NULL : "/dev/null",
        .timeout_s = check->timeout_s,
        .setting = settings,
    };

    if (setting->checked && !write_lists(check, setting)) {
        return (struct keel_group_run_end){.error = errno};
    }
    struct keel_group_run_end end = keel_group_run_do(&run);
    free(asked);
    end.error = end.error == 0 ? keel_temporary_try(check->options.results.folder) : end.error;
    if (!end.timed_out && end.seconds > check->longest_s) {
        check->longest_s = end.seconds;
    }
    return end;
}

/* NOT_BEGUN or TIMEOUT, otherwise SAME. */
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
static double rounding_of(const struct keel_check *check)
{
    struct keel_results results = check->options.results;
    struct keel_results_difference difference;

    for (double tolerance = 1e-15; tolerance < 2 * KEEL_ROUNDING_MAX; tolerance *= 10) {
        results.how.tolerance = tolerance;
        if (tolerance > check->options.results.how.tolerance &&
            keel_results_equal(&results, &difference)) {
            return tolerance;
        }
    }
    return 0;
}

struct keel_outcome keel_runs_do(struct keel_check *check, const struct keel_run_setting *setting)
{
    struct keel_group_run_end end = run_once(check, setting);
    struct keel_outcome outcome = outcome_of(&end);

    if (outcome.kind == KEEL_OUTCOME_SAME && end.status != check->status) {
        outcome = (struct keel_outcome){.kind = KEEL_OUTCOME_STATUS, .status = end.status};
    }
    if (outcome.kind == KEEL_OUTCOME_SAME &&
        !keel_results_equal(&check->options.results, &outcome.output)) {
        outcome.kind = KEEL_OUTCOME_OUTPUT;
        outcome.rounding = rounding_of(check);
    }
    return outcome;
}

struct keel_outcome keel_runs_set_reference(struct keel_check *check,
                                            const struct keel_run_setting *setting)
{
    struct keel_group_run_end end = run_once(check, setting);
    struct keel_outcome outcome = outcome_of(&end);

    check->status = end.status;
    if (outcome.kind == KEEL_OUTCOME_SAME && !keel_results_keep(&check->options.results)) {
        outcome = (struct keel_outcome){.kind = KEEL_OUTCOME_NOT_BEGUN, .error = errno};
    }
    return outcome;
}

bool keel_runs_over(const struct keel_check *check)
{
    return keel_clock_s() >= check->end_s || keel_group_run_signal() != 0;
}

/* --- words --- */

void keel_runs_describe(const struct keel_check *check, const struct keel_outcome *outcome,
                        char *text)
{
    char status[64];

    switch (outcome->kind) {
    case KEEL_OUTCOME_OUTPUT:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "%s line %llu: '%s' instead of '%s'",
                 keel_results_name(&check->options.results, outcome->output.file),
                 (unsigned long long)outcome->output.difference.line,
                 outcome->output.difference.got, outcome->output.difference.wanted);
        break;
    case KEEL_OUTCOME_STATUS:
        snprintf(status, sizeof status, "%s", keel_group_run_status_text(outcome->status));
        snprintf(text, KEEL_RUNS_TEXT_MAX, "%s instead of %s", status,
                 keel_group_run_status_text(check->status));
        break;
    case KEEL_OUTCOME_TIMEOUT:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "no end within %.0f s", check->timeout_s);
        break;
    default:
        text[0] = '\0'; /* who asks has nothing to describe */
    }
}
