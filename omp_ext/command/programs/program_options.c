/* Options that several subcommands have in common. */
#include <regex.h>
#include <stdlib.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

#define NUMBER_MAX 1000000

enum {
    KEY_SHARE_CORES = 0x1000,
    KEY_TOLERANCE,
    KEY_IGNORE,
    KEY_INPUT,
    KEY_TIMEOUT,
    KEY_BUDGET,
    KEY_SEED
};

void keel_options_hand(struct argp_state *state, struct keel_options *options)
{
    state->child_inputs[0] = options;
}

/* For the programs to come. Threads that wait for their team give their cores away soon. */
static void share_cores(void)
{
    setenv("KEEL_SHARE_CORES", "1", 1);
    if (keel_environment_value("OMP_WAIT_POLICY") == NULL &&
        keel_environment_value("GOMP_SPINCOUNT") == NULL) {
        setenv("GOMP_SPINCOUNT", "1000", 1);
    }
}

static error_t take_program(int key, char *word, struct argp_state *state)
{
    struct keel_options *options = state->input;

    switch (key) {
    case 's':
        options->schedule = word;
        return 0;
    case 't':
        keel_subcommand_number(state, "--threads", word, 1, NUMBER_MAX, true);
        options->threads = word;
        return 0;
    case KEY_SHARE_CORES:
        share_cores();
        return 0;
    case ARGP_KEY_ARG:
        options->program = keel_subcommand_rest(state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option start_options[] = {
    {"schedule", 's', "SPEC", 0, "Schedule of the program's loops, as for KEEL_SCHEDULE", 0},
    {"threads", 't', "THREADS", 0, "Threads of its teams, as for OMP_NUM_THREADS", 0},
    {"share-cores", KEY_SHARE_CORES, NULL, 0,
     "Ranks of a node share its cores, as for KEEL_SHARE_CORES", 0},
    {0},
};

const struct argp keel_options_start = {.options = start_options, .parser = take_program};

bool keel_options_check_schedule(const struct keel_options *options)
{
    struct keel_schedule_check check =
        keel_schedule_check(options->schedule != NULL ? options->schedule : "");

    if (options->schedule == NULL || check.problem[0] == '\0') {
        return true;
    }
    keel_message("-s '%s': %s; '%s' is not run", options->schedule, check.problem,
                 options->program[0]);
    return false;
}

/* --- runs that are compared --- */

static void take_output(struct keel_options *options, struct argp_state *state, char *word)
{
    if (options->results->outputs == KEEL_OPTIONS_OUTPUTS_MAX) {
        argp_error(state, "--output: more than %d files", KEEL_OPTIONS_OUTPUTS_MAX);
    }
    options->output[options->results->outputs++] = word;
    options->results->output = options->output;
}

static void take_ignored(struct keel_options *options, struct argp_state *state, const char *word)
{
    int error = regcomp(&options->ignored, word, REG_EXTENDED | REG_NOSUB);
    char problem[128];

    if (error != 0) {
        regerror(error, &options->ignored, problem, sizeof problem);
        argp_error(state, "--ignore: '%s': %s", word, problem);
    }
    options->results->how.ignored = &options->ignored;
}

static error_t take_runs(int key, char *word, struct argp_state *state)
{
    struct keel_options *options = state->input;

    switch (key) {
    case 'o':
        take_output(options, state, word);
        return 0;
    case KEY_TOLERANCE:
        options->results->how.tolerance =
            keel_subcommand_number(state, "--tolerance", word, 0, 1, false);
        return 0;
    case KEY_IGNORE:
        take_ignored(options, state, word);
        return 0;
    case KEY_INPUT:
        options->input = word;
        return 0;
    case KEY_TIMEOUT:
        options->timeout_s = keel_subcommand_number(state, "--timeout", word, 0.001, 1e9, false);
        return 0;
    case KEY_BUDGET:
        options->budget_s = keel_subcommand_number(state, "--budget", word, 0, 1e9, false);
        return 0;
    case KEY_SEED:
        options->seed = (uint64_t)keel_subcommand_number(state, "--seed", word, 0, 1e15, true);
        options->seeded = true;
        return 0;
    default:
        return key == 's' ? ARGP_ERR_UNKNOWN : take_program(key, word, state);
    }
}

static const struct argp_option run_options[] = {
    {"threads", 't', "THREADS", 0, "Threads of teams, as for OMP_NUM_THREADS", 0},
    {"share-cores", KEY_SHARE_CORES, NULL, 0,
     "Ranks of a node share its cores, as for KEEL_SHARE_CORES", 0},
    {"budget", KEY_BUDGET, "S", 0,
     "Begin no run that would end more than S seconds after the start (60)", 1},
    {"timeout", KEY_TIMEOUT, "S", 0,
     "Kill a run after S seconds (30 more than 20 times what the first one takes)", 1},
    {"seed", KEY_SEED, "N", 0, "Seed of what is drawn at random", 1},
    {"output", 'o', "FILE", 0, "Compare this file, too, after each run; repeatable", 2},
    {"tolerance", KEY_TOLERANCE, "REL", 0,
     "Numbers in the output may differ by REL times the larger one (0: all is compared exactly)",
     2},
    {"ignore", KEY_IGNORE, "REGEX", 0, "Do not compare lines of the output that match", 2},
    {"input", KEY_INPUT, "FILE", 0, "Read standard input of each run from FILE (/dev/null)", 2},
    {0},
};

const struct argp keel_options_runs = {.options = run_options, .parser = take_runs};
