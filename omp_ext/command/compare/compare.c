/* keel compare: which schedule a program is fastest under. */
#define _GNU_SOURCE
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/command/compare/compare.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/ranks/policies.h"
#include "schedules/text/text.h"

#define LIBGOMP_STANDARD "static dynamic guided"
#define SCHEDULES_STANDARD "fac2 awf-b steal rate auto"
#define SHARING_STANDARD "static fac2 tree steal diffuse rate"
#define BALANCE_STANDARD "off rate-local diffusion redistribute auto"

#define SEED_BY_CLOCK UINT64_MAX

struct request {
    struct keel_session session;
    const char *list[KEEL_CANDIDATE_KINDS]; /* entries with blanks between; NULL: none */
    const char *json;                       /* a file; NULL: none */
};

/* --- the command line --- */

static void take_rounds(struct argp_state *state, const struct keel_option *option, char *word,
                        void *at)
{
    keel_take_range(state, option, word, at);
    if (((uint64_t *)at)[1] == 0) {
        argp_error(state, "--%s: '%s' allows no round, expected MAX from 1 to %g", option->name,
                   word, option->high);
    }
}

#define AT(member) offsetof(struct request, member)

static const struct keel_option options[] = {
    {"schedules", 's', "LIST",
     "Schedules of Keel, as for KEEL_SCHEDULE, separated by blanks: 'fac2 steal,16 "
     "gss;mandel.c:42=fac2,8' (" SCHEDULES_STANDARD "); repeatable",
     0, keel_take_list, .at = AT(list[KEEL_CANDIDATE_SCHEDULE])},
    {"libgomp", 0, "LIST",
     "Schedules of libgomp, as for OMP_SCHEDULE, separated by blanks; the first one is the "
     "reference (" LIBGOMP_STANDARD "); repeatable",
     0, keel_take_list, .at = AT(list[KEEL_CANDIDATE_LIBGOMP])},
    {"ranks", 0, "N", "Run so many ranks, by mpirun -n N", 0, keel_take_count, AT(session.ranks), 1,
     1e6},
    {"mpi", 'm', "LIST",
     "How ranks share loops, as for KEEL_MPI_SCHEDULE (" SHARING_STANDARD
     ", if the program shares loops and no other list is given)",
     0, keel_take_list, .at = AT(list[KEEL_CANDIDATE_SHARING])},
    {"balance", 'b', "LIST",
     "How rows move among ranks, as for KEEL_MPI_BALANCE (" BALANCE_STANDARD
     ", if it has rows and no other list is given)",
     0, keel_take_list, .at = AT(list[KEEL_CANDIDATE_BALANCE])},
    {"rounds", 0, "MIN-MAX",
     "Run at least MIN rounds, whatever the budget, and at most MAX (0-1000)", 1, take_rounds,
     AT(session.rounds_wanted), 0, KEEL_SIGN_ROUNDS_MAX},
    {"matters", 0, "PERCENT", "Ignore differences of up to PERCENT % of the time (1)", 1,
     keel_take_real, AT(session.matters), 0.01, 100},
    {"json", 0, "FILE", "Write all that was found to FILE", 3, keel_take_text, .at = AT(json)},
    {0},
};

static const struct keel_command_line command_line = {
    .options = options,
    .shared = keel_options_runs,
    .shared_at = AT(session.options),
    .words_at = AT(session.options.program),
    .least = 1,
    .is_program = true,
    .form = "[--] PROGRAM [ARGUMENT...]",
    .text =
        "Runs the program under several schedules, in rounds, each in random order, until those "
        "that differ are told apart or the budget is used up. Prints which is the fastest, for the "
        "whole program and for each loop, and ends with the line for a job script. Where no loop "
        "comes to Keel, it ends after one run of each.\v"
        "Ratios are medians of the ratios of times in the same round. Intervals in brackets, and "
        "what is said to be faster or slower, follow from an exact sign test that may be looked at "
        "after each round: the family-wise error rate is 5 % for the whole program, that is, of "
        "100 comparisons at most 5 call any two schedules different that are alike; so it is for "
        "each loop. x % faster takes x % less time. All runs have KEEL_REPORT set, for times of "
        "loops, which costs all of them about the same.\n\n"
        "Ranks: keel compare --ranks 4 ./program, or keel compare -- mpirun -n 4 ./program. "
        "Each schedule of any list is set by itself, the rest as in the environment.\n\n"
        "Exit codes: 0: compared; 3: nothing can be compared, as the program fails without Keel's "
        "schedules (rounds before that are printed) or under all of them, or no loop comes to "
        "them; 4: no round was over "
        "before the budget was used up, so that nothing is known; 130: interrupted, what was known "
        "is printed; 1: a file cannot be written, 2: the command line cannot be used, 125: Keel "
        "itself failed, 126: the program cannot be run, "
        "127: it is not found.",
};

/* --- what is compared --- */

/* Each checks an entry; `problem` stays "" for a good one. */
typedef void check(const char *entry, char *problem);

static void check_libgomp(const char *entry, char *problem)
{
    static const char *const known[] = {"static", "dynamic", "guided", "auto"};
    size_t length = strcspn(entry, ",");

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint64_t unused;
        if (strlen(known[i]) == length && strncmp(entry, known[i], length) == 0 &&
            (entry[length] == '\0' ||
             keel_number_whole(entry + length + 1, 1, INT32_MAX, &unused))) {
            return;
        }
    }
    snprintf(problem, KEEL_PROBLEM_MAX,
             "it is none of libgomp's static, dynamic, guided and auto, with a chunk size or "
             "without");
}

/* "fac2,gss" is fac2 with a parameter that is no number: a comma is no separator here. */
static void check_schedule(const char *entry, char *problem)
{
    struct keel_schedule_check checked = keel_schedule_check(entry);

    snprintf(problem, KEEL_PROBLEM_MAX, "%s", checked.problem);
    if (problem[0] == '\0' && !checked.everywhere && !checked.rules) {
        snprintf(problem, KEEL_PROBLEM_MAX, "libgomp's schedules are named by --libgomp");
    }
}

static void check_sharing(const char *entry, char *problem)
{
    struct keel_ranks_schedule unused;

    keel_ranks_schedule_read(entry, &unused, problem);
    keel_schedule_check_problem(problem);
}

static void check_balance(const char *entry, char *problem)
{
    struct keel_rows_policy unused = keel_rows_policy_standard();

    keel_rows_policy_read(entry, &unused, problem);
    keel_schedule_check_problem(problem);
}

static const struct {
    const char *option, *variable;
    check *check;
} lists[KEEL_CANDIDATE_KINDS] = {
    [KEEL_CANDIDATE_LIBGOMP] = {"--libgomp", "OMP_SCHEDULE", check_libgomp},
    [KEEL_CANDIDATE_SCHEDULE] = {"-s", "KEEL_SCHEDULE", check_schedule},
    [KEEL_CANDIDATE_SHARING] = {"--mpi", "KEEL_MPI_SCHEDULE", check_sharing},
    [KEEL_CANDIDATE_BALANCE] = {"--balance", "KEEL_MPI_BALANCE", check_balance},
};

/* False: a message has said why. */
static bool add_candidate(struct keel_session *session, enum keel_candidate_kind kind,
                          const char *value)
{
    char problem[KEEL_PROBLEM_MAX] = "";

    lists[kind].check(value, problem);
    if (problem[0] != '\0') {
        keel_message("%s '%s': %s; schedules are separated by blanks; nothing is run",
                     lists[kind].option, value, problem);
        return false;
    }
    if (session->count == KEEL_CANDIDATES_MAX) {
        keel_message("%s: more than %d schedules; nothing is run", lists[kind].option,
                     KEEL_CANDIDATES_MAX);
        return false;
    }
    session->of[session->count++] = (struct keel_candidate){
        .kind = kind,
        .name = keel_command_text("%s%s", kind == KEEL_CANDIDATE_LIBGOMP ? "libgomp " : "", value),
        .variable = lists[kind].variable,
        .value = value,
    };
    return true;
}

/* Their memory lasts as long as the process. False: a message has said what is wrong. */
static bool make_candidates(struct keel_session *session,
                            const char *const list[KEEL_CANDIDATE_KINDS])
{
    for (int kind = 0; kind < KEEL_CANDIDATE_KINDS; kind++) {
        char *rest = keel_command_text("%s", list[kind] != NULL ? list[kind] : "");
        for (char *entry; (entry = strtok_r(rest, " \t\n", &rest)) != NULL;) {
            if (!add_candidate(session, (enum keel_candidate_kind)kind, entry)) {
                return false;
            }
        }
    }
    if (session->count < 2) {
        keel_message("a comparison wants two schedules or more; nothing is run");
    }
    return session->count >= 2;
}

/* Whether a program on the command line takes a function from elsewhere whose name begins so. */
static bool imports(const struct keel_session *session, const char *prefix)
{
    char file[PATH_MAX];

    for (char **word = session->options.program; *word != NULL; word++) {
        if (keel_program_find(*word, file) && keel_imports_any(file, prefix)) {
            return true;
        }
    }
    return false;
}

/* Programs with shared loops or rows have other questions than others. */
static void choose_lists(const struct keel_session *session, const char *list[KEEL_CANDIDATE_KINDS])
{
    bool stated = list[KEEL_CANDIDATE_SCHEDULE] != NULL || list[KEEL_CANDIDATE_SHARING] != NULL ||
                  list[KEEL_CANDIDATE_BALANCE] != NULL;
    bool ranks = keel_session_is_mpirun(session);

    if (!stated && ranks && imports(session, "keel_mpi_share")) {
        list[KEEL_CANDIDATE_SHARING] = SHARING_STANDARD;
    } else if (!stated && ranks && imports(session, "keel_mpi_rows_")) {
        list[KEEL_CANDIDATE_BALANCE] = BALANCE_STANDARD;
    } else if (!stated) {
        list[KEEL_CANDIDATE_SCHEDULE] = SCHEDULES_STANDARD;
    }
    if (list[KEEL_CANDIDATE_LIBGOMP] == NULL && list[KEEL_CANDIDATE_SCHEDULE] != NULL) {
        list[KEEL_CANDIDATE_LIBGOMP] = LIBGOMP_STANDARD;
    }
}

/* False: a message has said why. Writes nothing, as there may be no results. */
static bool can_be_written(const char *path)
{
    struct stat status;
    bool there = stat(path, &status) == 0;

    if (there && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
    } else if (access(there ? path : dirname(keel_command_text("%s", path)), W_OK) == 0) {
        return true;
    }
    keel_message("'%s' cannot be written: %s; nothing is run", path, strerror(errno));
    return false;
}

/* --- the end --- */

/* Where the reference has never run well there is nothing to print. */
static int refuse(const struct keel_session *session, enum keel_session_end end)
{
    const char *program = session->options.program[0];

    if (end == KEEL_SESSION_NOT_BEGUN) {
        return keel_child_refused(session->ranks > 0 ? "mpirun" : program, session->error);
    }
    printf("'%s' %s under %s, the reference; nothing is compared\n", program,
           session->of[0].failure, session->of[0].name);
    return KEEL_COMPARE_UNKNOWN;
}

static int compare(struct keel_session *session, const char *json)
{
    enum keel_session_end end;

    keel_session_begin(session);
    if (keel_session_do_reference(session, &end)) {
        keel_findings_plan(session);
        end = keel_session_do_rounds(session);
    }
    bool begun =
        end != KEEL_SESSION_NOT_BEGUN && (end != KEEL_SESSION_REFERENCE || session->rounds > 0);
    int code = begun ? keel_comparison_print(session, end, json) : refuse(session, end);
    return keel_group_run_signal() != 0 ? KEEL_COMPARE_SIGNAL + keel_group_run_signal() : code;
}

static int run(int argc, char **argv)
{
    static struct request request = {
        .session = {.options = {.input = "/dev/null", .budget_s = 60, .seed = SEED_BY_CLOCK},
                    .rounds_wanted = {0, KEEL_SIGN_ROUNDS_MAX},
                    .matters = 1},
    };
    struct keel_session *session = &request.session;
    int code = KEEL_EXIT_OWN;

    keel_command_line_read(&command_line, argc, argv, &request);
    session->matters /= 100;
    if (session->options.seed == SEED_BY_CLOCK) {
        session->options.seed = keel_chance_mix(keel_clock_ns()) % 1000000;
    }
    choose_lists(session, request.list);
    if (!make_candidates(session, request.list)) {
        return KEEL_EXIT_USAGE;
    }
    if (request.json != NULL && !can_be_written(request.json)) {
        return KEEL_EXIT_MISSING;
    }
    session->preload = keel_library_find(false);
    if (session->preload == NULL) {
        return KEEL_EXIT_OWN;
    }
    keel_group_run_hold_signals();
    if (keel_results_begin(&session->options.results, "keel-compare")) {
        code = compare(session, request.json);
    }
    keel_results_end(&session->options.results);
    return code;
}

const struct keel_subcommand keel_subcommand_compare = {
    .name = "compare",
    .summary = "find the schedule that a program is fastest under",
    .run = run,
};
