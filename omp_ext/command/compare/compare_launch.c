/* One run of the program under a candidate. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/compare/compare.h"
#include "omp_ext/command/programs/elf.h"

#define WORDS_MAX 256 /* of the command line beside the person's */

/* --- what a run gets --- */

#define SETTINGS_MAX 8

/* NAME=VALUE, in memory of malloc. */
struct settings {
    size_t count;
    char *of[SETTINGS_MAX];
};

/* Nothing where there is no value; false: no memory. */
static bool add(struct settings *settings, const char *name, const char *value)
{
    if (value == NULL) {
        return true;
    }
    if (asprintf(&settings->of[settings->count], "%s=%s", name, value) < 0) {
        return false;
    }
    settings->count++;
    return true;
}

/* All runs are with Keel, which times loops. Schedules of Keel say by KEEL_SEEN whether a loop came
 * to them. */
static bool add_settings(struct settings *settings, const struct keel_trial_setup *setup,
                         const struct keel_candidate *candidate)
{
    const struct keel_launch *launch = &setup->launch;
    bool libgomp = candidate->kind == KEEL_CANDIDATE_LIBGOMP;
    bool keels = candidate->kind == KEEL_CANDIDATE_SCHEDULE;

    return add(settings, "LD_LIBRARY_PATH", launch->preloading.library_path) &&
           add(settings, "LD_PRELOAD", launch->preloading.preload) &&
           add(settings, "OMP_NUM_THREADS", launch->threads) &&
           add(settings, "KEEL_SCHEDULE", libgomp ? "libgomp" : NULL) &&
           add(settings, keel_candidate_variables[candidate->kind], candidate->value) &&
           add(settings, "KEEL_REPORT", setup->report) &&
           add(settings, "KEEL_SEEN", keels ? setup->seen.path : NULL);
}

/* --- command lines --- */

bool keel_launch_is_mpirun(const struct keel_launch *launch)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "mpirun.openmpi",
                                        "mpiexec.openmpi"};
    const char *slash = strrchr(launch->program[0], '/');
    const char *name = slash != NULL ? slash + 1 : launch->program[0];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return launch->ranks > 0;
}

bool keel_launch_imports(const struct keel_launch *launch, const char *prefix)
{
    char file[PATH_MAX];

    for (char **word = launch->program; *word != NULL; word++) {
        if (keel_program_find(*word, file) && keel_imports_any(file, prefix)) {
            return true;
        }
    }
    return false;
}

struct command {
    char **argument; /* of execvp() */
    bool for_ranks;  /* the settings are in `argument` */
    struct settings environment;
};

/* Words of a command line; freed are those that are not the person's. */
struct words {
    size_t count;
    char **of;
};

static void put(struct words *words, const char *word)
{
    words->of[words->count++] = (char *)word;
}

/* Variables of the person's own for Keel, which ranks on other nodes would not get. */
static void put_own(struct words *words, const struct settings *settings)
{
    for (char **variable = environ; *variable != NULL && words->count < WORDS_MAX / 2; variable++) {
        size_t length = strcspn(*variable, "=") + 1;
        bool ours = strncmp(*variable, "KEEL_", strlen("KEEL_")) == 0;
        for (size_t i = 0; i < settings->count; i++) {
            ours &= strncmp(settings->of[i], *variable, length) != 0;
        }
        if (ours && strncmp(*variable, "KEEL_SEEN=", length) != 0) {
            put(words, "-x");
            put(words, *variable);
        }
    }
}

/* mpirun -n N, or the person's own, then -x NAME=VALUE for each setting. */
static bool wrap(struct command *command, const struct keel_launch *launch)
{
    static char ranks[16];
    struct settings *settings = &command->environment;
    size_t length = 0;

    while (launch->program[length] != NULL) {
        length++;
    }
    struct words words = {.of = calloc(length + WORDS_MAX + 2, sizeof(char *))};
    if (words.of == NULL) {
        return false;
    }
    put(&words, launch->ranks > 0 ? "mpirun" : launch->program[0]);
    if (launch->ranks > 0) {
        snprintf(ranks, sizeof ranks, "%u", launch->ranks);
        put(&words, "-n");
        put(&words, ranks);
        put_own(&words, settings);
    }
    for (size_t i = 0; i < settings->count; i++) {
        put(&words, "-x");
        put(&words, settings->of[i]);
    }
    for (char **word = launch->program + (launch->ranks == 0); *word != NULL; word++) {
        put(&words, *word);
    }
    command->argument = words.of;
    return true;
}

static void free_command(struct command *command)
{
    while (command->environment.count > 0) {
        free(command->environment.of[--command->environment.count]);
    }
    if (command->for_ranks) {
        free(command->argument);
    }
    *command = (struct command){0};
}

/* What a run gets. Those of Open MPI's mpirun are for its ranks: they go by -x, and mpirun itself
 * does not see them. False: no memory. */
static bool make_command(struct command *command, const struct keel_trial_setup *setup,
                         const struct keel_candidate *candidate)
{
    const struct keel_launch *launch = &setup->launch;

    *command = (struct command){.argument = launch->program};
    command->for_ranks = keel_launch_is_mpirun(launch);
    bool made = add_settings(&command->environment, setup, candidate) &&
                (!command->for_ranks || wrap(command, launch));
    if (!made) {
        free_command(command);
    }
    return made;
}

/* What would decide about loops beside the candidate, or be written by each run for no reader. */
static void prepare(const void *context)
{
    const struct command *command = context;

    unsetenv("KEEL_SEEN");
    unsetenv("KEEL_REPORT");
    for (size_t i = 0; !command->for_ranks && i < command->environment.count; i++) {
        putenv(command->environment.of[i]);
    }
}

/* --- runs --- */

#define LINE_MAX_SHOWN 200

void keel_trial_begin(struct keel_trial_setup *setup)
{
    snprintf(setup->report, sizeof setup->report, "%s",
             keel_results_path(setup->results, "report.json"));
    snprintf(setup->seen.path, sizeof setup->seen.path, "%s",
             keel_results_path(setup->results, "seen"));
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
    struct command command;
    struct keel_trial trial = {.kind = KEEL_TRIAL_NOT_BEGUN, .end = {.error = ENOMEM}};

    forget_last(setup);
    if (!make_command(&command, setup, candidate)) {
        return trial;
    }
    const struct keel_group_run run = {
        .program = command.argument,
        .input = setup->input,
        .out = strdupa(keel_results_stdout(setup->results)),
        .err = setup->shows_errors ? NULL : strdupa(keel_results_path(setup->results, "stderr")),
        .timeout_s = setup->timeout_s,
        .prepare = prepare,
        .context = &command,
    };
    trial.end = keel_group_run_do(&run);
    free_command(&command);
    trial.kind = kind_of(&trial.end);
    if (trial.kind == KEEL_TRIAL_FAILED) {
        describe(setup, &trial.end, trial.failure);
    }
    return trial;
}
