/* keel check: finds loops whose results depend on who runs what. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/check/check_command.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/support/environment.h"
#include "schedules/text/text.h"

/* Exit codes beside those of the command line. */
enum {
    KEEL_CHECK_SAME = 0,
    KEEL_CHECK_DIFFERS = 1, /* results depend on the schedule */
    KEEL_CHECK_UNKNOWN = 3, /* nothing can be said: the program fails without Keel, differs by which
                               of its threads comes first, or no loop came to Keel */
};

#define FIRST_TIMEOUT_S 600.0 /* of the first run */
#define SLOWER_AT_MOST 20.0   /* a run under adversarial schedules than the longest one without */
#define TIMEOUT_EXTRA_S 30.0
#define RANDOM_RUNS_LEAST 3 /* whatever the budget */
#define DIFFERING_ENOUGH 3  /* to go on with narrowing down */
#define KINDS_MAX 4         /* of differences that are printed */
#define UNSTEADY_RUNS 5     /* more runs to see what differs without Keel */
#define SINGLE_RUNS 3       /* with one thread */

/* Differences that are alike. */
struct kind {
    struct keel_outcome outcome;
    unsigned runs;
    uint64_t seed; /* of the first */
};

/* The differences that there were. */
struct kinds {
    unsigned count;
    struct kind of[KINDS_MAX];
    double rounding; /* the tolerance under which none of them differs; INFINITY: none */
};

static const struct keel_run_setting first = {.shows_errors = true};
static const struct keel_run_setting plain = {0};
static const struct keel_run_setting single = {.threads = "1"};

/* --- without Keel --- */

static int refuse(const struct keel_check *check, const struct keel_outcome *outcome)
{
    if (outcome->kind == KEEL_OUTCOME_NOT_BEGUN) {
        return outcome->error != 0 ? keel_child_refused(check->program, outcome->error)
                                   : KEEL_EXIT_OWN;
    }
    if (outcome->kind == KEEL_OUTCOME_TIMEOUT) {
        printf("'%s' does not end within %.0f s without Keel; nothing is checked (--timeout)\n",
               check->program, check->timeout_s);
    } else {
        printf("'%s' ends with %s without Keel; nothing is checked\n", check->program,
               keel_group_run_status_text(outcome->status));
    }
    return KEEL_CHECK_UNKNOWN;
}

/* The first run: -1, or the exit code where it can't be checked. */
static int take_reference(struct keel_check *check)
{
    double stated_s = check->options.timeout_s;

    check->timeout_s = stated_s > 0 ? stated_s : FIRST_TIMEOUT_S;
    struct keel_outcome outcome = keel_runs_set_reference(check, &first);
    if (outcome.kind == KEEL_OUTCOME_SAME && check->status != 0) {
        outcome.kind = KEEL_OUTCOME_STATUS;
        outcome.status = check->status;
    }
    if (outcome.kind != KEEL_OUTCOME_SAME) {
        return refuse(check, &outcome);
    }
    if (stated_s <= 0) {
        check->timeout_s = TIMEOUT_EXTRA_S + SLOWER_AT_MOST * check->longest_s;
    }
    return -1;
}

/* Runs `count` times; the first that differs, or SAME. */
static struct keel_outcome repeat(struct keel_check *check, const struct keel_run_setting *setting,
                                  unsigned count)
{
    struct keel_run_setting next = *setting;
    struct keel_outcome outcome = {.kind = KEEL_OUTCOME_SAME};

    for (unsigned i = 0; i < count && outcome.kind == KEEL_OUTCOME_SAME; i++) {
        outcome = keel_runs_do(check, &next);
        next.seed++;
    }
    return outcome;
}

/* A new reference by runs that agree; false: they don't. */
static bool agree(struct keel_check *check, const struct keel_run_setting *setting, unsigned count)
{
    return keel_runs_set_reference(check, setting).kind == KEEL_OUTCOME_SAME &&
           check->status == 0 && repeat(check, setting, count - 1).kind == KEEL_OUTCOME_SAME;
}

/* Finds the lines that differ without Keel; false: there are too many. */
static bool leave_out(struct keel_check *check)
{
    if (keel_runs_set_reference(check, &plain).kind != KEEL_OUTCOME_SAME) {
        return false;
    }
    for (unsigned i = 0; i < UNSTEADY_RUNS; i++) {
        enum keel_outcome_kind kind = keel_runs_do(check, &plain).kind;
        if (kind == KEEL_OUTCOME_OUTPUT ? !keel_results_leave_out(&check->options.results)
                                        : kind != KEEL_OUTCOME_SAME) {
            return false;
        }
    }
    keel_results_print_left_out(&check->options.results);
    return true;
}

/* The program differs without Keel, as `outcome` has shown. -1: it can be checked all the same. */
static int handle_unsteady(struct keel_check *check, const struct keel_outcome *outcome)
{
    static const struct keel_loops none;
    const struct keel_run_setting tame = {
        .checked = true, .others_serial = true, .loops = &none, .seed = check->options.seed};
    char text[KEEL_RUNS_TEXT_MAX];

    keel_runs_describe(check, outcome, text);
    printf("'%s' differs from run to run without Keel:\n  %s\n", check->program, text);
    bool steady_alone = agree(check, &single, SINGLE_RUNS);
    printf(steady_alone
               ? "  not with one thread: what it does depends on which thread comes first\n"
               : "  with one thread, too: a clock, a process number, or chance\n");
    if (steady_alone && agree(check, &tame, UNSTEADY_RUNS + 1)) {
        printf("  not where each loop is run by one thread, with which other runs are compared\n");
        check->others_serial = true;
        return -1;
    }
    check->races = steady_alone;
    if (!leave_out(check)) {
        printf("  nothing can be compared\n");
        return KEEL_CHECK_UNKNOWN;
    }
    return -1;
}

/* -1, or the exit code where it can't be checked. */
static int run_plain(struct keel_check *check)
{
    int code = take_reference(check);

    if (code >= 0) {
        return code;
    }
    struct keel_outcome outcome = repeat(check, &plain, check->plain_runs - 1);
    switch (outcome.kind) {
    case KEEL_OUTCOME_SAME:
        return -1;
    case KEEL_OUTCOME_OUTPUT:
        return handle_unsteady(check, &outcome);
    default:
        return refuse(check, &outcome);
    }
}

/* --- under adversarial schedules --- */

static bool alike(const struct keel_outcome *a, const struct keel_outcome *b)
{
    return a->kind == b->kind && a->status == b->status && a->output.file == b->output.file &&
           a->output.difference.line == b->output.difference.line;
}

static void note(struct keel_check *check, struct kinds *kinds, const struct keel_outcome *outcome,
                 uint64_t seed)
{
    unsigned i = 0;

    if (check->differing < KEEL_CHECK_SEEDS_MAX) {
        check->seed[check->differing] = seed;
    }
    check->differing++;
    kinds->rounding = fmax(kinds->rounding, outcome->rounding > 0 ? outcome->rounding : INFINITY);
    while (i < kinds->count && !alike(&kinds->of[i].outcome, outcome)) {
        i++;
    }
    if (i == kinds->count && i < KINDS_MAX) {
        kinds->of[kinds->count++] = (struct kind){.outcome = *outcome, .seed = seed};
    }
    if (i < kinds->count) {
        kinds->of[i].runs++;
    }
}

/* -1, or the exit code after a run that could not begin. */
static int run_random(struct keel_check *check, struct kinds *kinds)
{
    struct keel_run_setting setting = {
        .checked = true, .seed = check->options.seed, .others_serial = check->others_serial};

    while (check->total < check->random_runs && check->differing < DIFFERING_ENOUGH &&
           (check->total < RANDOM_RUNS_LEAST || !keel_runs_over(check))) {
        struct keel_outcome outcome = keel_runs_do(check, &setting);
        if (outcome.kind == KEEL_OUTCOME_NOT_BEGUN) {
            return keel_group_run_signal() != 0 && check->total > 0 ? -1 : refuse(check, &outcome);
        }
        check->total++;
        if (outcome.kind != KEEL_OUTCOME_SAME) {
            note(check, kinds, &outcome, setting.seed);
        }
        setting.seed++;
    }
    return -1;
}

/* --- the verdict --- */

/* A region's name without "parallel region ". */
static const char *place_of(const char *region)
{
    return region + strlen("parallel region ");
}

/* What the runs could not check. */
static void tell_unreached(const struct keel_check *check)
{
    const struct keel_loops *loops = &check->loops;

    if (loops->threads == 1) {
        printf("all teams had one thread, for which no schedule makes a difference (-t)\n");
    }
    if (loops->unreached > 0) {
        printf("no loop came to Keel in %zu parallel region%s (%s%s%s); static and bare loops do "
               "when they are compiled with `keel cflags --nowait --explicit=static`\n",
               loops->unreached, keel_text_plural(loops->unreached), place_of(loops->region[0]),
               loops->unreached > 1 ? ", " : "",
               loops->unreached > 2   ? "..."
               : loops->unreached > 1 ? place_of(loops->region[1])
                                      : "");
    }
}

/* ^C: what is known by then is printed all the same. */
static void tell_interrupted(const struct keel_check *check)
{
    if (keel_group_run_signal() != 0) {
        printf("interrupted after %u of %llu runs under random schedules\n", check->total,
               (unsigned long long)check->random_runs);
    }
}

static int tell_same(const struct keel_check *check)
{
    const struct keel_loops *loops = &check->loops;
    uint64_t seed = check->options.seed;

    if (loops->count == 0) {
        const char *obstacle = keel_unseen_obstacle(check->program);
        printf("no loop of '%s' came to Keel, so nothing was checked; %s\n", check->program,
               obstacle[0] != '\0' ? obstacle
                                   : "compile it with schedule(runtime) clauses or with the flags "
                                     "of `keel cflags --nowait`");
        return KEEL_CHECK_UNKNOWN;
    }
    printf("'%s': the same results in %llu run%s without Keel and %u under random schedules (%zu "
           "loop%s, %u thread%s, seeds %llu to %llu)\n",
           check->program, (unsigned long long)check->plain_runs,
           keel_text_plural(check->plain_runs), check->total, loops->count,
           keel_text_plural(loops->count), loops->threads, keel_text_plural(loops->threads),
           (unsigned long long)seed, (unsigned long long)(seed + check->total - 1));
    tell_interrupted(check);
    tell_unreached(check);
    return check->races ? KEEL_CHECK_UNKNOWN : KEEL_CHECK_SAME;
}

static int tell_differences(struct keel_check *check, const struct kinds *kinds)
{
    printf("'%s': %u of %u runs under random schedules differ from those without (%zu loop%s, %u "
           "thread%s)\n",
           check->program, check->differing, check->total, check->loops.count,
           keel_text_plural(check->loops.count), check->loops.threads,
           keel_text_plural(check->loops.threads));
    for (unsigned i = 0; i < kinds->count; i++) {
        char text[KEEL_RUNS_TEXT_MAX];
        keel_runs_describe(check, &kinds->of[i].outcome, text);
        printf("  %s (%u run%s, seed %llu)\n", text, kinds->of[i].runs,
               keel_text_plural(kinds->of[i].runs), (unsigned long long)kinds->of[i].seed);
    }
    if (kinds->rounding <= KEEL_ROUNDING_MAX) {
        printf("  that is rounding, as where numbers are added up in another order; with "
               "--tolerance=%g it counts as the same\n",
               kinds->rounding);
    }
    tell_interrupted(check);
    fflush(stdout);
    keel_findings_print(check);
    tell_unreached(check);
    return KEEL_CHECK_DIFFERS;
}

static int run_check(struct keel_check *check)
{
    struct kinds kinds = {0};

    check->end_s = keel_clock_s() + check->options.budget_s;
    int code = run_plain(check);
    if (code < 0) {
        code = run_random(check, &kinds);
    }
    if (code >= 0) {
        return code;
    }
    keel_loops_read(keel_results_path(&check->options.results, "report"), &check->loops);
    return check->differing > 0 ? tell_differences(check, &kinds) : tell_same(check);
}

/* --- the command line --- */

#define NUMBER_MAX 1000000

static const struct keel_option options[] = {
    {"runs", 'n', "N", "Runs under random schedules (20)", 0, keel_take_count,
     offsetof(struct keel_check, random_runs), 1, NUMBER_MAX},
    {"plain-runs", 0, "N", "Runs without Keel (3)", 0, keel_take_count,
     offsetof(struct keel_check, plain_runs), 1, NUMBER_MAX},
    {"as-written", 0, NULL, "Leave loops with schedule(dynamic) or schedule(guided) to libgomp", 0,
     keel_take_flag, .at = offsetof(struct keel_check, as_written)},
    {0},
};

static const struct keel_command_line command_line = {
    .options = options,
    .shared = keel_options_runs,
    .shared_at = offsetof(struct keel_check, options),
    .words_at = offsetof(struct keel_check, options.program),
    .least = 1,
    .is_program = true,
    .form = "[--] PROGRAM [ARGUMENT...]",
    .text =
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
static void choose_threads(struct keel_check *check)
{
    if (check->options.threads == NULL && keel_environment_value("OMP_NUM_THREADS") == NULL &&
        sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        check->options.threads = "2";
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
    static struct keel_check check = {
        .options = {.input = "/dev/null", .budget_s = 60, .seed = 1},
        .plain_runs = 3,
        .random_runs = 20,
    };
    int code = KEEL_EXIT_OWN;

    keel_command_line_read(&command_line, argc, argv, &check);
    check.program = check.options.program[0];
    check.preload = keel_library_find(false);
    if (check.preload == NULL) {
        return code;
    }
    choose_threads(&check);
    keel_group_run_hold_signals();
    if (keel_results_begin(&check.options.results, "keel-check")) {
        code = run_check(&check);
    }
    keel_results_end(&check.options.results);
    let_signals_come();
    return code;
}

const struct keel_subcommand keel_subcommand_check = {
    .name = "check",
    .summary = "find loops whose results depend on who runs what",
    .run = run,
};
