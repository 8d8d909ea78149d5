/* Runs of the program, each compared with the reference. */
#define _GNU_SOURCE
#include "omp_ext/command/check/runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

/* --- files --- */

/* "FOLDER/NAME", or "FOLDER/wanted.NUMBER". Static memory, one for each of two kinds. */
static const char *own_path(const struct keel_runs *runs, const char *name)
{
    static char path[PATH_MAX + 300];

    snprintf(path, sizeof path, "%s/%s", runs->folder, name);
    return path;
}

static const char *wanted_path(const struct keel_runs *runs, size_t file)
{
    static char path[PATH_MAX + 300];

    snprintf(path, sizeof path, "%s/wanted.%zu", runs->folder, file);
    return path;
}

/* What the last run has written there. */
static const char *got_path(const struct keel_runs *runs, size_t file)
{
    return file == 0 ? own_path(runs, "stdout") : runs->output[file - 1];
}

const char *keel_runs_file_name(const struct keel_runs *runs, size_t file)
{
    return file == 0 ? "stdout" : runs->output[file - 1];
}

const char *keel_runs_report(const struct keel_runs *runs)
{
    return own_path(runs, "report");
}

static bool copy_bytes(FILE *from, FILE *to)
{
    char piece[65536];
    size_t got;

    while ((got = fread(piece, 1, sizeof piece, from)) > 0) {
        if (fwrite(piece, 1, got, to) != got) {
            return false;
        }
    }
    return !ferror(from);
}

/* A file that is not there has no copy. */
static bool copy_file(const char *from, const char *to)
{
    FILE *source = fopen(from, "re");

    if (source == NULL) {
        return unlink(to) == 0 || errno == ENOENT;
    }
    FILE *copy = fopen(to, "we");
    bool done = copy != NULL && copy_bytes(source, copy);
    if (copy != NULL) {
        done = fclose(copy) == 0 && done;
    }
    fclose(source);
    return done;
}

bool keel_runs_begin(struct keel_runs *runs)
{
    const char *stated = keel_environment_value("TMPDIR");
    const char *parent = stated != NULL ? stated : "/tmp";
    char absolute[PATH_MAX];

    bool made = realpath(parent, absolute) != NULL &&
                (size_t)snprintf(runs->folder, sizeof runs->folder, "%s/keel-check-XXXXXX",
                                 absolute) < sizeof runs->folder &&
                mkdtemp(runs->folder) != NULL;
    FILE *report = made ? fopen(keel_runs_report(runs), "we") : NULL;
    if (report == NULL) {
        keel_message("no folder can be made in '%s' (TMPDIR): %s", parent, strerror(errno));
        runs->folder[0] = '\0';
        return false;
    }
    fclose(report);
    runs->left_out = calloc(runs->outputs + 1, sizeof *runs->left_out);
    return runs->left_out != NULL;
}

void keel_runs_end(struct keel_runs *runs)
{
    DIR *folder = runs->folder[0] != '\0' ? opendir(runs->folder) : NULL;

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.') {
            unlink(own_path(runs, entry->d_name));
        }
    }
    if (folder != NULL) {
        closedir(folder);
        rmdir(runs->folder);
    }
    free(runs->left_out);
}

/* --- one run --- */

static bool write_list(const struct keel_runs *runs, const char *name,
                       const struct keel_loops *loops, const size_t *member, size_t count)
{
    FILE *file = fopen(own_path(runs, name), "we");

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
        return unlink(own_path(runs, "active")) == 0 || errno == ENOENT;
    }
    return write_list(runs, "active", setting->loops, setting->active, setting->active_count) &&
           write_list(runs, "barriers", setting->loops, setting->barrier, setting->barrier != NULL);
}

static struct keel_checked_run_end run_once(struct keel_runs *runs,
                                            const struct keel_run_setting *setting)
{
    struct keel_checked_run checked_run = runs->checked_run;

    checked_run.out = strdupa(own_path(runs, "stdout"));
    checked_run.err = setting->shows_errors ? NULL : "/dev/null";
    checked_run.threads = setting->threads != NULL ? setting->threads : checked_run.threads;
    if (!setting->checked) {
        checked_run.preloading = NULL;
    } else if (!write_lists(runs, setting)) {
        return (struct keel_checked_run_end){.error = errno};
    }
    snprintf(checked_run.check, sizeof checked_run.check, "seed=%llu%s,folder=%s",
             (unsigned long long)setting->seed, setting->others_serial ? ",others=one" : "",
             runs->folder);
    struct keel_checked_run_end end = keel_checked_run_do(&checked_run);
    if (!end.timed_out && end.seconds > runs->longest_s) {
        runs->longest_s = end.seconds;
    }
    return end;
}

/* NOT_BEGUN or TIMEOUT, else SAME. */
static struct keel_outcome outcome_of(const struct keel_checked_run_end *end)
{
    struct keel_outcome outcome = {.kind = KEEL_OUTCOME_SAME};

    if (end->error != 0 || keel_checked_run_signal() != 0) {
        outcome = (struct keel_outcome){.kind = KEEL_OUTCOME_NOT_BEGUN, .error = end->error};
    } else if (end->timed_out) {
        outcome.kind = KEEL_OUTCOME_TIMEOUT;
    }
    return outcome;
}

static struct keel_comparison comparison_of(const struct keel_runs *runs, size_t file)
{
    struct keel_comparison how = runs->how;

    how.left_out = &runs->left_out[file];
    return how;
}

struct keel_outcome keel_runs_do(struct keel_runs *runs, const struct keel_run_setting *setting)
{
    struct keel_checked_run_end end = run_once(runs, setting);
    struct keel_outcome outcome = outcome_of(&end);

    if (outcome.kind == KEEL_OUTCOME_SAME && end.status != runs->status) {
        outcome = (struct keel_outcome){.kind = KEEL_OUTCOME_STATUS, .status = end.status};
    }
    for (size_t i = 0; outcome.kind == KEEL_OUTCOME_SAME && i <= runs->outputs; i++) {
        struct keel_comparison how = comparison_of(runs, i);
        if (!keel_files_equal(wanted_path(runs, i), got_path(runs, i), &how, &outcome.difference)) {
            outcome.kind = KEEL_OUTCOME_OUTPUT;
            outcome.file = i;
        }
    }
    return outcome;
}

struct keel_outcome keel_runs_set_reference(struct keel_runs *runs,
                                            const struct keel_run_setting *setting)
{
    struct keel_checked_run_end end = run_once(runs, setting);
    struct keel_outcome outcome = outcome_of(&end);

    runs->status = end.status;
    for (size_t i = 0; outcome.kind == KEEL_OUTCOME_SAME && i <= runs->outputs; i++) {
        runs->left_out[i].count = 0;
        if (!copy_file(got_path(runs, i), wanted_path(runs, i))) {
            outcome = (struct keel_outcome){.kind = KEEL_OUTCOME_NOT_BEGUN, .error = errno};
        }
    }
    return outcome;
}

bool keel_runs_leave_out(struct keel_runs *runs)
{
    for (size_t i = 0; i <= runs->outputs; i++) {
        struct keel_comparison how = runs->how;
        if (!keel_files_leave_out(wanted_path(runs, i), got_path(runs, i), &how,
                                  &runs->left_out[i])) {
            return false;
        }
    }
    return true;
}

bool keel_runs_over(const struct keel_runs *runs)
{
    return keel_clock_s() >= runs->end_s || keel_checked_run_signal() != 0;
}

/* --- words --- */

const char *keel_runs_status_text(int status)
{
    static char text[64];

    if (WIFEXITED(status)) {
        snprintf(text, sizeof text, "exit code %d", WEXITSTATUS(status));
    } else {
        snprintf(text, sizeof text, "signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    }
    return text;
}

void keel_runs_describe(const struct keel_runs *runs, const struct keel_outcome *outcome,
                        char *text)
{
    char status[64];

    switch (outcome->kind) {
    case KEEL_OUTCOME_OUTPUT:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "%s line %llu: '%s' instead of '%s'",
                 keel_runs_file_name(runs, outcome->file),
                 (unsigned long long)outcome->difference.line, outcome->difference.got,
                 outcome->difference.wanted);
        break;
    case KEEL_OUTCOME_STATUS:
        snprintf(status, sizeof status, "%s", keel_runs_status_text(outcome->status));
        snprintf(text, KEEL_RUNS_TEXT_MAX, "%s instead of %s", status,
                 keel_runs_status_text(runs->status));
        break;
    case KEEL_OUTCOME_TIMEOUT:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "no end within %.0f s", runs->checked_run.timeout_s);
        break;
    case KEEL_OUTCOME_NOT_BEGUN:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "cannot be run: %s",
                 outcome->error != 0 ? strerror(outcome->error) : "interrupted");
        break;
    default:
        snprintf(text, KEEL_RUNS_TEXT_MAX, "the same");
    }
}
