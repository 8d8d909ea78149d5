/* One run of the program under a candidate. */
#define _GNU_SOURCE
#include "omp_ext/command/compare/trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_MAX_SHOWN 200

void keel_trial_begin(struct keel_trial_setup *setup)
{
    snprintf(setup->report, sizeof setup->report, "%s",
             keel_results_path(setup->results, "report.json"));
    snprintf(setup->seen.path, sizeof setup->seen.path, "%s",
             keel_results_path(setup->results, "seen"));
    setup->launch.report = setup->report;
    setup->launch.seen = setup->seen.path;
}

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

static void describe(const struct keel_trial_setup *setup, const struct keel_group_run_end *end,
                     char *text)
{
    char line[LINE_MAX_SHOWN];

    if (end->timed_out) {
        snprintf(text, KEEL_TRIAL_TEXT_MAX, "does not end within %g s (--timeout)",
                 setup->timeout_s);
        return;
    }
    take_last_line(keel_results_path(setup->results, "stderr"), line);
    snprintf(text, KEEL_TRIAL_TEXT_MAX, "ends with %s%s%s%s",
             keel_group_run_status_text(end->status), line[0] != '\0' ? ": '" : "", line,
             line[0] != '\0' ? "'" : "");
}

static enum keel_trial_kind kind_of(const struct keel_group_run_end *end)
{
    if (end->error != 0) {
        return KEEL_TRIAL_NOT_BEGUN;
    }
    if (end->timed_out) {
        return KEEL_TRIAL_FAILED;
    }
    if (keel_group_run_signal() != 0) {
        return KEEL_TRIAL_SIGNAL;
    }
    return WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0 ? KEEL_TRIAL_GOOD
                                                                   : KEEL_TRIAL_FAILED;
}

/* Of a run that left no output, report or mark, none of an earlier one must be found. */
static void forget_last(const struct keel_trial_setup *setup)
{
    unlink(setup->report);
    unlink(keel_results_path(setup->results, "stderr"));
    FILE *seen = fopen(setup->seen.path, "we");
    if (seen != NULL) {
        fclose(seen);
    }
}

struct keel_trial keel_trial_do(const struct keel_trial_setup *setup,
                                const struct keel_candidate *candidate)
{
    struct keel_launch_command command;
    struct keel_trial trial = {.kind = KEEL_TRIAL_NOT_BEGUN, .end = {.error = ENOMEM}};

    forget_last(setup);
    if (!keel_launch_make(&command, &setup->launch, candidate)) {
        return trial;
    }
    const struct keel_group_run run = {
        .program = command.argument,
        .input = setup->input,
        .out = strdupa(keel_results_stdout(setup->results)),
        .err = setup->shows_errors ? NULL : strdupa(keel_results_path(setup->results, "stderr")),
        .timeout_s = setup->timeout_s,
        .prepare = keel_launch_prepare,
        .context = &command,
    };
    trial.end = keel_group_run_do(&run);
    keel_launch_free(&command);
    trial.kind = kind_of(&trial.end);
    if (trial.kind == KEEL_TRIAL_FAILED) {
        describe(setup, &trial.end, trial.failure);
    }
    return trial;
}
