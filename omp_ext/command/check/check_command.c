/* keel check: finds loops whose results depend on who runs what. */
#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/check/check_command.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/environment.h"

enum { KEY_PLAIN = 256, KEY_AS_WRITTEN };

#define NUMBER_MAX 1000000

struct request {
    struct keel_options options;
    struct keel_runs runs;
    struct keel_check_request check;
};

/* --- the command line --- */

static error_t take(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;
    struct keel_check_request *check = &request->check;

    switch (key) {
    case 'n':
        check->random_runs =
            (unsigned)keel_subcommand_number(state, "--runs", word, 1, NUMBER_MAX, true);
        return 0;
    case KEY_PLAIN:
        check->plain_runs =
            (unsigned)keel_subcommand_number(state, "--plain-runs", word, 1, NUMBER_MAX, true);
        return 0;
    case KEY_AS_WRITTEN:
        request->runs.checked_run.takes_explicit = false;
        return 0;
    case ARGP_KEY_INIT:
        keel_options_hand(state, &request->options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"runs", 'n', "N", 0, "Runs under random schedules (20)", 0},
    {"plain-runs", KEY_PLAIN, "N", 0, "Runs without Keel (3)", 0},
    {"as-written", KEY_AS_WRITTEN, NULL, 0,
     "Leave loops with schedule(dynamic) or schedule(guided) to libgomp", 0},
    {0},
};

static const struct argp_child children[] = {{&keel_options_runs, 0, NULL, 0}, {0}};

static const struct argp grammar = {
    .options = options,
    .children = children,
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
        .options = {.input = "/dev/null", .budget_s = 60, .seed = 1},
        .runs = {.checked_run = {.takes_explicit = true}},
        .check = {.plain_runs = 3, .random_runs = 20},
    };
    struct keel_preloading preloading = {0};
    int code = KEEL_EXIT_OWN;

    request.options.results = &request.runs.results;
    request.check.runs = &request.runs;
    argp_parse(&grammar, argc, argv, ARGP_IN_ORDER, NULL, &request);
    request.check.seed = request.options.seed;
    request.check.timeout_s = request.options.timeout_s;
    request.check.budget_s = request.options.budget_s;
    request.runs.checked_run.threads = request.options.threads;
    request.runs.checked_run.run.input = request.options.input;
    request.runs.checked_run.run.program = request.options.program;
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
