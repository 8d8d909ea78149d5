/* keel compare: which schedule a program is fastest under. */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/command/compare/combination.h"
#include "omp_ext/command/compare/files/chart.h"
#include "omp_ext/command/compare/files/csv.h"
#include "omp_ext/command/compare/files/json.h"
#include "omp_ext/command/compare/findings.h"
#include "omp_ext/command/compare/recommendation.h"
#include "omp_ext/command/compare/session.h"
#include "omp_ext/command/compare/tables.h"
#include "omp_ext/command/parts/subcommand.h"
#include "omp_ext/command/programs/elf/openmp.h"
#include "omp_ext/command/programs/elf/program.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/chance.h"

#define OUTPUTS_MAX 64
#define NUMBER_MAX 1000000

#define LIBGOMP_STANDARD "static dynamic guided"
#define SCHEDULES_STANDARD "fac2 awf-b steal rate auto"
#define SHARING_STANDARD "static fac2 tree steal diffuse rate"
#define BALANCE_STANDARD "off rate-local diffusion redistribute auto"

enum {
    EXIT_UNKNOWN = 3,  /* nothing can be compared */
    EXIT_NO_ROUND = 4, /* the budget is used up before a round was over */
    EXIT_SIGNAL = 128  /* and the signal's number */
};

enum {
    KEY_LIBGOMP = 256,
    KEY_RANKS,
    KEY_BUDGET,
    KEY_ROUNDS,
    KEY_TIMEOUT,
    KEY_MATTERS,
    KEY_SEED,
    KEY_TOLERANCE,
    KEY_IGNORE,
    KEY_INPUT,
    KEY_CSV,
    KEY_JSON,
    KEY_PLOT
};

struct request {
    struct keel_candidate_lists lists;
    struct keel_trial_setup setup;
    struct keel_session_request session;
    struct keel_results results;
    char *output[OUTPUTS_MAX];
    regex_t ignored;
    const char *csv, *json, *plot; /* files; NULL: none */
};

/* --- the command line --- */

static void take_output(struct request *request, struct argp_state *state, char *word)
{
    if (request->results.outputs == OUTPUTS_MAX) {
        argp_error(state, "--output: more than %d files", OUTPUTS_MAX);
    }
    request->output[request->results.outputs++] = word;
}

/* An option that comes again adds to its list. */
static void take_list(struct argp_state *state, const char **list, const char *word)
{
    char *both = NULL;

    if (*list == NULL) {
        *list = word;
    } else if (asprintf(&both, "%s %s", *list, word) >= 0) {
        *list = both; /* for as long as the process lives */
    } else {
        argp_failure(state, KEEL_EXIT_OWN, 0, "no memory");
    }
}

static void take_ignored(struct request *request, struct argp_state *state, const char *word)
{
    int error = regcomp(&request->ignored, word, REG_EXTENDED | REG_NOSUB);
    char problem[128];

    if (error != 0) {
        regerror(error, &request->ignored, problem, sizeof problem);
        argp_error(state, "--ignore: '%s': %s", word, problem);
    }
    request->results.how.ignored = &request->ignored;
}

/* "MIN-MAX", or one number for both. */
static void take_rounds(struct request *request, struct argp_state *state, char *word)
{
    char *dash = strchr(word, '-');
    const char *last = dash != NULL ? dash + 1 : word;
    char first[32];

    snprintf(first, sizeof first, "%.*s", dash != NULL ? (int)(dash - word) : (int)strlen(word),
             word);
    double least = keel_subcommand_number(state, "--rounds", first, 0, KEEL_SIGN_ROUNDS_MAX, true);
    double most = keel_subcommand_number(state, "--rounds", last, least > 1 ? least : 1,
                                         KEEL_SIGN_ROUNDS_MAX, true);
    request->session.rounds_min = (size_t)least;
    request->session.rounds_max = (size_t)most;
}

static void take_plot(struct request *request, struct argp_state *state, const char *word)
{
    if (!keel_chart_is_drawable(word)) {
        argp_error(state, "--plot: '%s' ends neither in .svg nor in .png", word);
    }
    request->plot = word;
}

static error_t take_limit(int key, char *word, struct argp_state *state)
{
    struct keel_session_request *session = &((struct request *)state->input)->session;

    switch (key) {
    case KEY_BUDGET:
        session->budget_s = keel_subcommand_number(state, "--budget", word, 0, 1e9, false);
        return 0;
    case KEY_ROUNDS:
        take_rounds(state->input, state, word);
        return 0;
    case KEY_TIMEOUT:
        session->timeout_s = keel_subcommand_number(state, "--timeout", word, 0.001, 1e9, false);
        return 0;
    case KEY_MATTERS:
        session->matters = keel_subcommand_number(state, "--matters", word, 0.01, 100, false) / 100;
        return 0;
    case KEY_SEED:
        session->seed = (uint64_t)keel_subcommand_number(state, "--seed", word, 0, 1e9, true);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t take_file(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;

    switch (key) {
    case 'o':
        take_output(request, state, word);
        return 0;
    case KEY_INPUT:
        request->setup.input = word;
        return 0;
    case KEY_CSV:
        request->csv = word;
        return 0;
    case KEY_JSON:
        request->json = word;
        return 0;
    case KEY_PLOT:
        take_plot(request, state, word);
        return 0;
    default:
        return take_limit(key, word, state);
    }
}

static error_t take(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;

    switch (key) {
    case 's':
        take_list(state, &request->lists.schedule, word);
        return 0;
    case 'm':
        take_list(state, &request->lists.sharing, word);
        return 0;
    case 'b':
        take_list(state, &request->lists.balance, word);
        return 0;
    case KEY_LIBGOMP:
        take_list(state, &request->lists.libgomp, word);
        return 0;
    case 't':
        keel_subcommand_number(state, "--threads", word, 1, NUMBER_MAX, true);
        request->setup.launch.threads = word;
        return 0;
    case KEY_RANKS:
        request->setup.launch.ranks =
            (unsigned)keel_subcommand_number(state, "--ranks", word, 1, NUMBER_MAX, true);
        return 0;
    case KEY_TOLERANCE:
        request->results.how.tolerance =
            keel_subcommand_number(state, "--tolerance", word, 0, 1, false);
        return 0;
    case KEY_IGNORE:
        take_ignored(request, state, word);
        return 0;
    case ARGP_KEY_ARG:
        request->setup.launch.program = keel_subcommand_rest(state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return take_file(key, word, state);
    }
}

static const struct argp_option options[] = {
    {"schedules", 's', "LIST", 0,
     "Schedules of Keel, as for KEEL_SCHEDULE, separated by blanks: 'fac2 steal,16 "
     "gss;mandel.c:42=fac2,8' (" SCHEDULES_STANDARD "); repeatable",
     0},
    {"libgomp", KEY_LIBGOMP, "LIST", 0,
     "Schedules of libgomp, as for OMP_SCHEDULE, separated by blanks; the first one is the "
     "reference (" LIBGOMP_STANDARD "); repeatable",
     0},
    {"threads", 't', "THREADS", 0, "Threads of teams, as for OMP_NUM_THREADS", 0},
    {"ranks", KEY_RANKS, "N", 0, "Run so many ranks, by mpirun -n N", 0},
    {"mpi", 'm', "LIST", 0,
     "How ranks share loops, as for KEEL_MPI_SCHEDULE (" SHARING_STANDARD
     ", if the program shares loops and no other list is given)",
     0},
    {"balance", 'b', "LIST", 0,
     "How rows move among ranks, as for KEEL_MPI_BALANCE (" BALANCE_STANDARD
     ", if it has rows and no other list is given)",
     0},
    {"budget", KEY_BUDGET, "S", 0,
     "Begin no round that would end more than S seconds after the start (60)", 1},
    {"rounds", KEY_ROUNDS, "MIN-MAX", 0,
     "Run at least MIN rounds, whatever the budget, and at most MAX (0-1000)", 1},
    {"matters", KEY_MATTERS, "PERCENT", 0, "Ignore differences of up to PERCENT % of the time (1)",
     1},
    {"timeout", KEY_TIMEOUT, "S", 0,
     "Kill a run after S seconds (30 more than 20 times what the reference takes)", 1},
    {"seed", KEY_SEED, "N", 0, "Draw the order of runs from this seed (by the clock)", 1},
    {"output", 'o', "FILE", 0, "Compare this file, too, after each run; repeatable", 2},
    {"tolerance", KEY_TOLERANCE, "REL", 0,
     "Numbers in the output may differ by REL times the larger one (0: all is compared exactly)",
     2},
    {"ignore", KEY_IGNORE, "REGEX", 0, "Do not compare lines of the output that match", 2},
    {"input", KEY_INPUT, "FILE", 0, "Read standard input of each run from FILE (/dev/null)", 2},
    {"csv", KEY_CSV, "FILE", 0, "Write a line for each run to FILE, comma-separated", 3},
    {"json", KEY_JSON, "FILE", 0, "Write all that was found to FILE", 3},
    {"plot", KEY_PLOT, "FILE", 0, "Draw the runs to FILE by gnuplot (.svg or .png)", 3},
    {0},
};

static const struct argp grammar = {
    .options = options,
    .parser = take,
    .args_doc = "[--] PROGRAM [ARGUMENT...]",
    .doc =
        "Runs the program under several schedules, in rounds, each in random order, until those "
        "that differ are told apart or the budget is used up. Tells which is the fastest, for the "
        "whole program and for each loop, and ends with the line for a job script, once that line "
        "was run by itself. Where schedules change nothing, it ends after one run of each.\v"
        "Ratios are medians of the ratios of times in the same round. Intervals in brackets, and "
        "what is said to be faster or slower, follow from an exact sign test that may be looked at "
        "after each round: the family-wise error rate is 5 % for the whole program, that is, of "
        "100 comparisons at most 5 call any two schedules different that are alike; so it is for "
        "each loop. x % faster takes x % less time. All runs have KEEL_REPORT set, for times of "
        "loops, which costs all of them about the same.\n\n"
        "Ranks: keel compare --ranks 4 ./program, or keel compare -- mpirun -n 4 ./program. "
        "Several lists give each combination.\n\n"
        "Exit codes: 0: compared; 3: nothing can be compared, as the program fails without Keel's "
        "schedules or under all of them, or none of them changes anything; 4: no round was over "
        "before the budget was used up, so that nothing is known; 130: interrupted, what was known "
        "is printed; 1: a file cannot be written, 2: the command line cannot be used, 125: Keel "
        "itself failed, 126: the program cannot be run, "
        "127: it is not found.",
};

/* --- what is compared --- */

/* Programs with shared loops or rows have other questions than others. */
static void choose_lists(struct request *request)
{
    struct keel_candidate_lists *lists = &request->lists;
    const struct keel_launch *launch = &request->setup.launch;
    bool stated = lists->schedule != NULL || lists->sharing != NULL || lists->balance != NULL;
    bool ranks = keel_launch_is_mpirun(launch);

    if (!stated && ranks && keel_launch_imports(launch, "keel_mpi_share")) {
        lists->sharing = SHARING_STANDARD;
    } else if (!stated && ranks && keel_launch_imports(launch, "keel_mpi_rows_")) {
        lists->balance = BALANCE_STANDARD;
    } else if (!stated) {
        lists->schedule = SCHEDULES_STANDARD;
    }
    if (lists->libgomp == NULL && lists->schedule != NULL) {
        lists->libgomp = LIBGOMP_STANDARD;
    }
}

/* --- the end --- */

static const char *why(enum keel_session_end end)
{
    static const char *const reason[] = {
        [KEEL_SESSION_SETTLED] = "all differences that matter are told apart",
        [KEEL_SESSION_BUDGET] = "the budget is used up",
        [KEEL_SESSION_ROUNDS] = "the last round is over",
        [KEEL_SESSION_SIGNAL] = "interrupted",
        [KEEL_SESSION_ALONE] = "there is nothing left to compare with",
        [KEEL_SESSION_REFERENCE] = "the reference has failed",
        [KEEL_SESSION_NOT_BEGUN] = "it cannot be run any more",
        [KEEL_SESSION_MEMORY] = "there is no more memory",
    };

    return reason[end];
}

static void print_head(const struct keel_session *session, enum keel_session_end end)
{
    printf("'%s': %zu round%s of %zu schedules in random order, seed %llu; %s\n\n",
           session->setup->launch.program[0], session->rounds, session->rounds == 1 ? "" : "s",
           keel_session_different(session), (unsigned long long)session->request->seed, why(end));
}

/* What follows from the runs so far. */
struct conclusion {
    struct keel_standings standings;
    struct keel_recommendation recommendation;
    struct keel_pair_trial tried; /* of what is recommended */
    struct keel_combination combination;
    bool any; /* there is something to say */
};

static bool conclude(const struct keel_session *session, struct conclusion *conclusion)
{
    *conclusion = (struct conclusion){.tried = KEEL_PAIR_NOT_TRIED};
    if (!keel_standings_make(&conclusion->standings, &session->samples, &session->sequence,
                             session->request->matters)) {
        keel_message("no memory");
        return false;
    }
    conclusion->recommendation = keel_recommendation_of(session, &conclusion->standings);
    conclusion->any = conclusion->recommendation.kind != KEEL_RECOMMENDATION_NONE;
    if (conclusion->any) {
        conclusion->combination =
            keel_combination_of(session, conclusion->recommendation.candidate);
    }
    return true;
}

/* Nothing is advised that was not run as it is printed. */
static void try_advice(struct keel_session *session, struct conclusion *conclusion)
{
    const struct keel_recommendation *recommendation = &conclusion->recommendation;
    bool wanted = conclusion->any && recommendation->kind != KEEL_RECOMMENDATION_NOTHING;

    if (wanted) {
        const struct keel_candidate *of = session->candidates->of;
        conclusion->tried = keel_session_try(
            session,
            (const struct keel_candidate *const[2]){&of[keel_recommendation_other(recommendation)],
                                                    &of[recommendation->candidate]},
            "as a job script would run it");
    }
    if (conclusion->combination.loops > 0 && (!wanted || conclusion->tried.pays)) {
        keel_combination_try(&conclusion->combination, session, recommendation->candidate);
    }
}

/* Where there is nothing to try, the time for that is for more rounds. */
static enum keel_session_end use_the_rest(struct keel_session *session, enum keel_session_end end,
                                          struct conclusion *conclusion)
{
    if (end == KEEL_SESSION_BUDGET && conclusion->combination.loops == 0 &&
        conclusion->recommendation.kind <= KEEL_RECOMMENDATION_NOTHING) {
        end = keel_session_go_on(session);
        keel_standings_free(&conclusion->standings);
        if (!conclude(session, conclusion)) {
            return KEEL_SESSION_MEMORY;
        }
    }
    if (session->rounds > 0) {
        try_advice(session, conclusion);
    }
    return end;
}

static void print_all(const struct keel_session *session, const struct conclusion *conclusion,
                      enum keel_session_end end)
{
    const struct keel_recommendation *recommendation = &conclusion->recommendation;

    print_head(session, end);
    keel_tables_program(session, &conclusion->standings,
                        conclusion->any ? recommendation->beside : 0);
    printf("\n");
    keel_findings_standings(session, &conclusion->standings);
    keel_findings_troubles(session);
    if (conclusion->any) {
        keel_tables_loops(session, &conclusion->standings, recommendation->candidate);
    }
    keel_findings_advice(session, &conclusion->standings, recommendation, &conclusion->tried,
                         &conclusion->combination);
}

static bool write_files(const struct request *request, const struct keel_session *session,
                        const struct conclusion *conclusion)
{
    bool written = true;

    if (request->csv != NULL) {
        written &= keel_compare_csv_write(request->csv, session);
    }
    if (request->json != NULL) {
        written &= keel_compare_json_write(request->json, session, &conclusion->standings,
                                           &conclusion->recommendation, &conclusion->tried,
                                           &conclusion->combination);
    }
    if (request->plot != NULL) {
        written &= keel_chart_write(request->plot, session);
    }
    return written;
}

static int tell(const struct request *request, struct keel_session *session,
                enum keel_session_end end)
{
    struct conclusion conclusion;

    if (!conclude(session, &conclusion)) {
        return KEEL_EXIT_OWN;
    }
    end = use_the_rest(session, end, &conclusion);
    if (session->rounds > 0) {
        print_all(session, &conclusion, end);
    } else {
        conclusion.recommendation.kind = KEEL_RECOMMENDATION_NONE;
        conclusion.any = false;
        keel_findings_nothing(session, why(end));
        keel_findings_troubles(session);
    }
    bool written = write_files(request, session, &conclusion);
    keel_standings_free(&conclusion.standings);
    return !written                     ? KEEL_EXIT_MISSING
           : conclusion.any             ? 0
           : end == KEEL_SESSION_BUDGET ? EXIT_NO_ROUND
                                        : EXIT_UNKNOWN;
}

/* Where the reference has never run well there is nothing to tell. */
static int refuse(const struct keel_session *session, enum keel_session_end end)
{
    const char *program = session->setup->launch.program[0];

    if (end == KEEL_SESSION_NOT_BEGUN) {
        const char *what = session->setup->launch.ranks > 0 ? "mpirun" : program;
        keel_message("'%s' cannot be run: %s", what, strerror(session->error));
        return session->error == ENOENT ? KEEL_EXIT_REFUSED + 1 : KEEL_EXIT_REFUSED;
    }
    if (end == KEEL_SESSION_REFERENCE) {
        printf("'%s' %s under %s, the reference; nothing is compared\n", program,
               session->of[0].failure, session->candidates->of[0].name);
        return EXIT_UNKNOWN;
    }
    return KEEL_EXIT_OWN;
}

/* Whether Keel sees the loops that the program runs. */
static void look_at_program(struct keel_session *session)
{
    const struct keel_launch *launch = &session->setup->launch;
    struct keel_program program;
    struct keel_openmp openmp = {0};

    keel_program_read(launch->program[0], &program);
    if (program.kind == KEEL_PROGRAM_USUAL) {
        keel_openmp_read(&program, &openmp);
    }
    session->elsewhere = keel_launch_is_mpirun(launch);
    session->hidden = session->elsewhere ||
                      (program.kind != KEEL_PROGRAM_USUAL && program.kind != KEEL_PROGRAM_SCRIPT) ||
                      openmp.runtime > KEEL_OPENMP_GCC || openmp.old;
}

static int compare(struct request *request, struct keel_candidates *candidates)
{
    struct keel_session session;
    int code = KEEL_EXIT_OWN;

    if (keel_session_begin(&session, &request->session, candidates, &request->setup)) {
        enum keel_session_end end;
        if (keel_session_do_reference(&session, &end)) {
            look_at_program(&session);
            keel_findings_plan(&session);
            end = keel_session_do_rounds(&session);
        }
        bool begun = end != KEEL_SESSION_NOT_BEGUN && end != KEEL_SESSION_MEMORY &&
                     (end != KEEL_SESSION_REFERENCE || session.rounds > 0);
        code = begun ? tell(request, &session, end) : refuse(&session, end);
    }
    keel_session_end(&session);
    return keel_group_run_signal() != 0 ? EXIT_SIGNAL + keel_group_run_signal() : code;
}

static uint64_t seed_of_the_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return keel_chance_mix((uint64_t)now.tv_nsec + (uint64_t)now.tv_sec * 1000000007u +
                           (uint64_t)getpid()) %
           1000000;
}

static int run(int argc, char **argv)
{
    static struct request request = {
        .setup = {.input = "/dev/null"},
        .session = {.budget_s = 60, .rounds_max = KEEL_SIGN_ROUNDS_MAX, .matters = 0.01},
    };
    struct keel_preloading preloading = {0};
    struct keel_candidates candidates;
    int code = KEEL_EXIT_OWN;

    request.session.seed = seed_of_the_clock();
    request.results.output = request.output;
    request.setup.results = &request.results;
    request.setup.launch.preloading = &preloading;
    argp_parse(&grammar, argc, argv, ARGP_IN_ORDER, NULL, &request);
    choose_lists(&request);
    if (!keel_candidates_make(&candidates, &request.lists)) {
        return KEEL_EXIT_USAGE;
    }
    if (!keel_library_find(&preloading)) {
        return KEEL_EXIT_OWN;
    }
    keel_group_run_hold_signals();
    if (keel_results_begin(&request.results, "keel-compare")) {
        keel_trial_begin(&request.setup);
        code = compare(&request, &candidates);
    }
    keel_results_end(&request.results);
    keel_candidates_free(&candidates);
    return code;
}

const struct keel_subcommand keel_subcommand_compare = {
    .name = "compare",
    .summary = "find the schedule that a program is fastest under",
    .run = run,
};
