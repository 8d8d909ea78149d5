/* keel run: runs a program with libkeel.so preloaded, and says when no loop came to it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "schedules/ranks/policies.h"

struct request {
    struct keel_options options;
    const char *mpi_schedule; /* of -m; NULL: the environment's */
};

/* Signals by which a program ends itself, not people. */
static bool is_failure(int signal)
{
    return signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGILL ||
           signal == SIGFPE || signal == SIGSYS;
}

/* Why no loop of the program came; `where`: behind that. */
static void explain_program(const struct request *request, const char *program, int status,
                            const char *where)
{
    char end[64] = "";
    const char *schedule = request->options.schedule != NULL
                               ? request->options.schedule
                               : keel_environment_value("KEEL_SCHEDULE");
    const char *standard = keel_environment_value("OMP_SCHEDULE");
    struct keel_schedule_check check = keel_schedule_check(schedule != NULL ? schedule : "");

    if (keel_unseen_explain(program, status, where)) {
        return;
    }
    if (WEXITSTATUS(status) != 0) {
        snprintf(end, sizeof end, " before it ended with exit code %d", WEXITSTATUS(status));
    }
    if (check.everywhere || (standard != NULL && keel_omp_schedule_is_ours(standard))) {
        keel_message("no loop of '%s' came to Keel%s%s; %s%s", program, where, end,
                     end[0] != '\0' ? "if that is its usual end, " : "",
                     keel_unseen_remedy(program));
    } else if (check.rules) {
        keel_message(
            "no loop of '%s' came to Keel%s%s: no rule of '%s' means a loop that does; see `keel "
            "run --help`",
            program, where, end, schedule);
    }
}

#define STARTED_MAX 3 /* programs that messages name */

/* Of the ranks on a node that run one program, one speaks. What a script or a launcher has started
 * says more than that itself. */
static void explain_unseen(const struct request *request, const struct keel_mark_file *mark,
                           int status)
{
    enum keel_launch place = keel_launch_role(keel_environment_value);
    const char *where = place == KEEL_LAUNCH_ALONE ? "" : " in the first rank of this node";
    char started[STARTED_MAX][PATH_MAX], from[PATH_MAX + 64];
    size_t count = keel_mark_file_programs(mark, request->options.program[0], started, STARTED_MAX);

    if (place == KEEL_LAUNCH_OTHER) {
        return;
    }
    if (count == 0) {
        explain_program(request, request->options.program[0], status, where);
    }
    snprintf(from, sizeof from, " (started by '%.200s'%s)", request->options.program[0], where);
    for (size_t i = 0; i < count; i++) {
        explain_program(request, started[i], 0, from);
    }
}

/* Whether the command line and the environment leave all loops to libgomp, and have no other
 * settings. */
static bool asks_for_nothing(const struct request *request)
{
    static const char *const asking[] = {"KEEL_SCHEDULE",  "KEEL_REPORT",      "KEEL_EXPLAIN",
                                         "KEEL_TRACE",     "KEEL_CHECK",       "KEEL_MPI_SCHEDULE",
                                         "KEEL_MPI_TRACE", "KEEL_MPI_BALANCE", "KEEL_SHARE_CORES",
                                         "KEEL_MPI_WAIT"};
    const char *standard = keel_environment_value("OMP_SCHEDULE");
    bool asks = request->options.schedule != NULL || request->mpi_schedule != NULL ||
                (standard != NULL && keel_omp_schedule_is_ours(standard));

    for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++) {
        asks |= keel_environment_value(asking[i]) != NULL;
    }
    return !asks;
}

/* What KEEL_EXPLAIN had recorded in processes that a signal has ended: they could not print it. */
static void show_recordings(const struct keel_mark_file *mark, const struct keel_child *child)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(mark->path, '/');

    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - mark->path), mark->path);
        keel_report_show_recordings(folder, keel_child_signal(child));
    }
}

static int start(const struct request *request, const char *preload)
{
    struct keel_mark_file mark = {""};
    bool nested = keel_environment_value("KEEL_SEEN") != NULL; /* whoever set it looks at it */

    if (asks_for_nothing(request) &&
        keel_launch_role(keel_environment_value) != KEEL_LAUNCH_OTHER) {
        keel_message("no schedule is asked for: unless '%s' asks for one itself, its loops stay "
                     "libgomp's; use -s SPEC, see `keel list`",
                     request->options.program[0]);
    }
    if (!nested) {
        keel_mark_file_make(&mark);
    }
    const struct keel_setting settings[] = {
        {"LD_PRELOAD", preload},
        {"KEEL_SCHEDULE", request->options.schedule},
        {"KEEL_MPI_SCHEDULE", request->mpi_schedule},
        {"OMP_NUM_THREADS", request->options.threads},
        {"KEEL_SEEN", mark.path[0] != '\0' ? mark.path : NULL},
        {0},
    };
    struct keel_child child = keel_child_run(request->options.program, settings);
    bool seen = keel_mark_file_set(&mark) || keel_mark_file_foreign(&mark);
    show_recordings(&mark, &child);
    if (child.error == 0 && !seen &&
        (WIFEXITED(child.status) || is_failure(WTERMSIG(child.status)))) {
        explain_unseen(request, &mark, child.status);
    }
    keel_mark_file_remove(&mark);
    if (child.error != 0) {
        return keel_child_refused(request->options.program[0], child.error);
    }
    keel_child_follow(child.status);
}

/* Whether the schedules of the command line can be read. */
static bool check_schedules(const struct request *request)
{
    struct keel_ranks_schedule unused;
    char problem[KEEL_PROBLEM_MAX] = "";

    if (!keel_options_check_schedule(&request->options)) {
        return false;
    }
    if (request->mpi_schedule != NULL) {
        keel_ranks_schedule_read(request->mpi_schedule, &unused, problem);
        keel_schedule_check_problem(problem);
    }
    if (problem[0] != '\0') {
        keel_message("--mpi '%s': %s; '%s' is not run", request->mpi_schedule, problem,
                     request->options.program[0]);
        return false;
    }
    return true;
}

static int run_request(const struct request *request)
{
    if (!check_schedules(request)) {
        return KEEL_EXIT_USAGE;
    }
    const char *preload = keel_library_find(false);
    if (preload == NULL) {
        keel_message("'%s' is not run", request->options.program[0]);
        return KEEL_EXIT_OWN;
    }
    return start(request, preload);
}

static int run(int argc, char **argv)
{
    static const struct keel_option options[] = {
        {"mpi", 'm', "SPEC",
         "How the ranks of a job share loops, as for KEEL_MPI_SCHEDULE; see `keel list --mpi'", 0,
         keel_take_text, .at = offsetof(struct request, mpi_schedule)},
        {0},
    };
    static const struct keel_command_line line = {
        .options = options,
        .shared = keel_options_start,
        .shared_at = offsetof(struct request, options),
        .words_at = offsetof(struct request, options.program),
        .least = 1,
        .is_program = true,
        .form = "PROGRAM [ARGUMENT...]",
        .text =
            "Runs the program with Keel preloaded, and says when no loop of it came to Keel.\v"
            "SPEC is a schedule of `keel list', rules for single loops, or both: -s 'gss; "
            "mandel.c:42=fac2,8; render=libgomp'. One that cannot be used as it is written is "
            "reported and the program is not run; a rule that means no loop is named at its end, "
            "with "
            "the loops that there are. Without -s, KEEL_SCHEDULE or OMP_SCHEDULE decide.\n\n"
            "Ranks: mpirun -n 4 keel run -s fac2 --mpi tree ./program.\n\n"
            "The exit code is the program's; if a signal ended it, the same signal ends keel. 2: "
            "the "
            "command line cannot be used, 125: Keel itself failed, 126: the program cannot be run, "
            "127: it is not found.",
    };
    struct request request = {0};

    keel_command_line_read(&line, argc, argv, &request);
    return run_request(&request);
}

const struct keel_subcommand keel_subcommand_run = {
    .name = "run",
    .summary = "run a program under Keel",
    .run = run,
};
