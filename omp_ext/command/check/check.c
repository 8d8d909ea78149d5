/* keel check: finds loops whose results depend on who runs what. */
#include <argp.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/check/verdict.h"
#include "omp_ext/command/parts/subcommand.h"
#include "omp_ext/support/environment.h"

#define OUTPUTS_MAX 64
#define NUMBER_MAX 1000000

enum {
    KEY_TOLERANCE = 256,
    KEY_IGNORE,
    KEY_PLAIN,
    KEY_SEED,
    KEY_TIMEOUT,
    KEY_BUDGET,
    KEY_INPUT,
    KEY_AS_WRITTEN
};

struct request {
    struct keel_runs runs;
    struct keel_check_request check;
    char *output[OUTPUTS_MAX];
    regex_t ignored;
};

/* --- the command line --- */

static void take_output(struct request *request, struct argp_state *state, char *word)
{
    if (request->runs.results.outputs == OUTPUTS_MAX) {
        argp_error(state, "--output: more than %d files", OUTPUTS_MAX);
    }
    request->output[request->runs.results.outputs++] = word;
}

static void take_ignored(struct request *request, struct argp_state *state, const char *word)
{
    int error = regcomp(&request->ignored, word, REG_EXTENDED | REG_NOSUB);
    char problem[128];

    if (error != 0) {
        regerror(error, &request->ignored, problem, sizeof problem);
        argp_error(state, "--ignore: '%s': %s", word, problem);
    }
    request->runs.results.how.ignored = &request->ignored;
}

static error_t take(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;
    struct keel_check_request *check = &request->check;

    switch (key) {
    case 'o':
        take_output(request, state, word);
        return 0;
    case 't':
        keel_subcommand_number(state, "--threads", word, 1, NUMBER_MAX, true);
        request->runs.checked_run.threads = word;
        return 0;
    case 'n':
        check->random_runs =
            (unsigned)keel_subcommand_number(state, "--runs", word, 1, NUMBER_MAX, true);
        return 0;
    case KEY_TOLERANCE:
        request->runs.results.how.tolerance =
            keel_subcommand_number(state, "--tolerance", word, 0, 1, false);
        return 0;
    case KEY_IGNORE:
        take_ignored(request, state, word);
        return 0;
    case KEY_PLAIN:
        check->plain_runs =
            (unsigned)keel_subcommand_number(state, "--plain-runs", word, 1, NUMBER_MAX, true);
        return 0;
    case KEY_SEED:
        check->seed = (uint64_t)keel_subcommand_number(state, "--seed", word, 0, 1e15, true);
        return 0;
    case KEY_TIMEOUT:
        check->timeout_s = keel_subcommand_number(state, "--timeout", word, 0.001, 1e9, false);
        return 0;
    case KEY_BUDGET:
        check->budget_s = keel_subcommand_number(state, "--budget", word, 0, 1e9, false);
        return 0;
    case KEY_INPUT:
        request->runs.checked_run.run.input = word;
        return 0;
    case KEY_AS_WRITTEN:
        request->runs.checked_run.takes_explicit = false;
        return 0;
    case ARGP_KEY_ARG:
        request->runs.checked_run.run.program = keel_subcommand_rest(state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Compare this file, too, after each run; repeatable", 0},
    {"tolerance", KEY_TOLERANCE, "REL", 0,
     "Numbers in the output may differ by REL times the larger one; without it all is exact", 0},
    {"ignore", KEY_IGNORE, "REGEX", 0, "Don't compare lines that match", 0},
    {"threads", 't', "THREADS", 0, "Threads of teams, as for OMP_NUM_THREADS", 0},
    {"runs", 'n', "N", 0, "Runs under random schedules (20)", 0},
    {"plain-runs", KEY_PLAIN, "N", 0, "Runs without Keel (3)", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of the first run under random schedules (1)", 0},
    {"timeout", KEY_TIMEOUT, "S", 0,
     "Kill a run after S seconds (30 more than 20 times what it takes without Keel)", 0},
    {"budget", KEY_BUDGET, "S", 0, "Begin no other run after S seconds (60)", 0},
    {"input", KEY_INPUT, "FILE", 0, "The program's standard input (/dev/null)", 0},
    {"as-written", KEY_AS_WRITTEN, NULL, 0,
     "Leave loops with schedule(dynamic) or schedule(guided) to libgomp", 0},
    {0},
};

static const struct argp grammar = {
    .options = options,
    .parser = take,
    .args_doc = "[--] PROGRAM [ARGUMENT...]",
    .doc =
        "Finds loops whose results depend on which thread runs what, and when. Runs the program "
        "without Keel, then under random schedules: borders of chunks, their order and their "
        "threads are drawn from a seed, and threads are delayed. Compares standard output, exit "
        "codes and files, and narrows a difference down to the loop.\v"
        "Loops that Keel can reach are checked: schedule(runtime), dynamic and guided ones, and "
        "those that are compiled with the flags of `keel cflags'. Debug information (-g) gives "
        "them names. Where the program has no OMP_SCHEDULE, runtime loops are static in runs "
        "without Keel.\n\n"
        "Ranks: keel check -- mpirun -n 2 ./program, with all of them on this machine.\n\n"
        "Exit codes: 0: all runs gave the same; 1: results depend on schedules; 3: nothing can be "
        "said, as the program fails or races without Keel, or no loop came to Keel; 2: the "
        "command line cannot be used, 125: Keel itself failed, 126: the program cannot be run, "
        "127: it is not found.",
};

/* --- running --- */

/* A team of one shows nothing. */
static void choose_threads(struct keel_runs *runs)
{
    if (runs->checked_run.threads == NULL && keel_environment_value("OMP_NUM_THREADS") == NULL &&
        sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        runs->checked_run.threads = "2";
    }
}

/* A signal that has come meanwhile ends the command now. */
static void let_signals_come(void)
{
    sigset_t none;

    sigemptyset(&none);
    fflush(stdout);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int run(int argc, char **argv)
{
    static struct request request = {
        .runs = {.checked_run = {.run = {.input = "/dev/null"}, .takes_explicit = true}},
        .check = {.plain_runs = 3, .random_runs = 20, .seed = 1, .budget_s = 60},
    };
    struct keel_preloading preloading = {0};
    int code = KEEL_EXIT_OWN;

    request.runs.results.output = request.output;
    request.check.runs = &request.runs;
    argp_parse(&grammar, argc, argv, ARGP_IN_ORDER, NULL, &request);
    if (!keel_library_find(&preloading)) {
        return code;
    }
    request.runs.checked_run.preloading = &preloading;
    choose_threads(&request.runs);
    keel_group_run_hold_signals();
    if (keel_runs_begin(&request.runs)) {
        code = keel_check_run(&request.check);
    }
    keel_runs_end(&request.runs);
    let_signals_come();
    return code;
}

const struct keel_subcommand keel_subcommand_check = {
    .name = "check",
    .summary = "find loops whose results depend on who runs what",
    .run = run,
};
