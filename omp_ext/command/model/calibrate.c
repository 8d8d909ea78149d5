/* keel model calibrate: measures what the models want to know of the machine, and keeps it.
 *
 *   local_costs.h (this process) ------------------+--> measuring.h --> table, file of machine.h
 *   mpirun --> keel_calibrate --> messages -+
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/model/actions.h"
#include "omp_ext/command/parts/installation.h"
#include "omp_ext/command/parts/subcommand.h"
#include "omp_ext/command/programs/child.h"
#include "omp_ext/machine/local_costs.h"
#include "omp_ext/support/message.h"
#include "schedules/text/number.h"

#define RANKS_MAX 1000000

struct request {
    const char *ranks;    /* NULL: not given */
    const char *launcher; /* NULL: mpirun */
    const char *file;     /* NULL: the standard place */
};

/* --- messages, by a job of its own --- */

/* The job's environment. Open MPI's mpirun wants to be told that it may run for root, and more
 * ranks than there are processors, in other words since version 5; what is set already rules. Its
 * output goes to the file. */
static void prepare(const void *output)
{
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
    setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 0);
    dup2(fileno((FILE *)output), STDOUT_FILENO);
}

/* Without a launcher of the user's, no shell stands in between: its message would be one too many.
 * LAUNCHER is words for a shell; what follows it is not. */
static struct keel_child launch(const struct request *request, char *program, const FILE *output)
{
    char *ranks = request->ranks != NULL ? (char *)request->ranks : "2";
    char *plain[] = {"mpirun", "-n", ranks, program, "--messages", NULL};
    char *shell[] = {"/bin/sh", "-c", NULL, "sh", program, "--messages", NULL};
    struct keel_child child = {.error = ENOMEM};

    if (request->launcher == NULL) {
        return keel_child_run(plain, prepare, output);
    }
    if (asprintf(&shell[2], "%s%s%s \"$@\"", request->launcher,
                 request->ranks != NULL ? " -n " : "",
                 request->ranks != NULL ? request->ranks : "") > 0) {
        child = keel_child_run(shell, prepare, output);
        free(shell[2]);
    }
    return child;
}

/* Why the job told nothing; "": it did. */
static void find_problem(const struct keel_child *child, bool told, char *problem, size_t size)
{
    problem[0] = '\0';
    if (child->error != 0) {
        snprintf(problem, size, "%s", strerror(child->error));
    } else if (WIFSIGNALED(child->status)) {
        snprintf(problem, size, "ended by signal %d", WTERMSIG(child->status));
    } else if (WEXITSTATUS(child->status) != 0) {
        snprintf(problem, size, "exit code %d", WEXITSTATUS(child->status));
    } else if (!told) {
        snprintf(problem, size, "it was started as a single rank, expected two or more");
    }
}

static void take_messages(struct keel_measurements *measurements, const struct request *request,
                          char *program, FILE *output)
{
    char problem[128];
    struct keel_child child = launch(request, program, output);

    rewind(output);
    keel_measuring_receive(measurements, output);
    find_problem(&child, measurements->of[KEEL_MACHINE_MESSAGE_STARTUP].rounds > 0, problem,
                 sizeof problem);
    if (problem[0] != '\0') {
        keel_message("messages cannot be measured by '%s': %s; what they cost stays what it was",
                     request->launcher != NULL ? request->launcher : "mpirun", problem);
    }
}

static void measure_messages(struct keel_measurements *measurements, const struct request *request)
{
    struct keel_installed found;
    char program[2 * PATH_MAX];

    if (!keel_installation_find(KEEL_PART_CALIBRATE, &found)) {
        return;
    }
    snprintf(program, sizeof program, "%s/%s", found.folder, found.file);
    FILE *output = tmpfile();
    if (output == NULL) {
        keel_message("messages cannot be measured: %s; what they cost stays what it was",
                     strerror(errno));
        return;
    }
    take_messages(measurements, request, program, output);
    fclose(output);
}

/* --- the command line --- */

static void check_ranks(const char *word)
{
    uint64_t ranks;

    if (!keel_number_whole(word, 2, RANKS_MAX, &ranks)) {
        keel_message("--ranks: '%s' is not a whole number from 2 to %d; nothing is measured", word,
                     RANKS_MAX);
        exit(KEEL_EXIT_USAGE);
    }
}

static error_t take(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;

    switch (key) {
    case 'r':
        check_ranks(word);
        request->ranks = word;
        return 0;
    case 'l':
        request->launcher = word;
        return 0;
    case 'o':
        request->file = word;
        return 0;
    default:
        return keel_subcommand_no_words(key, state);
    }
}

static const struct argp_option options[] = {
    {"ranks", 'r', "N", 0, "Ranks of the job that measures messages; without it 2", 0},
    {"launcher", 'l', "COMMAND", 0,
     "What starts that job, words for a shell; without it 'mpirun'. With it, ranks are counted by "
     "COMMAND itself, or by --ranks, which adds '-n N'",
     0},
    {"output", 'o', "FILE", 0,
     "Keep costs there; without it in $XDG_CACHE_HOME/keel/machine or ~/.cache/keel/machine, where "
     "`keel model` looks for them",
     0},
    {0},
};

static const struct argp grammar = {
    .options = options,
    .parser = take,
    .doc = "Measures what the machine costs parallel programs: messages, looking for them, packing "
           "rows, changing threads, getting chunks of loops. Prints medians and quartiles of some "
           "rounds, and keeps the medians for `keel model`.\vMessages are measured between the "
           "first and the last of some ranks. In a batch job: keel model calibrate --launcher "
           "'srun -N 2 -n 2', or srun keel_calibrate -o FILE.",
};

static int run(int argc, char **argv)
{
    static struct keel_measurements measurements;
    struct request request = {0};

    argp_parse(&grammar, argc, argv, 0, NULL, &request);
    keel_local_costs_measure(&measurements);
    measure_messages(&measurements, &request);
    keel_measuring_print(&measurements, stdout);
    return keel_measuring_keep(&measurements, request.file) ? 0 : KEEL_EXIT_MISSING;
}

const struct keel_subcommand keel_model_calibrate = {
    .name = "calibrate",
    .summary = "measure what messages, rows and loops cost on this machine",
    .run = run,
};
