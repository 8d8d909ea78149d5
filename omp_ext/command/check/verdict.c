/* What `keel check` does, step by step. */
#include "omp_ext/command/check/check_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/support/message.h"

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

struct check {
    const struct keel_check_request *request;
    struct keel_runs *runs;
    const char *program;
    bool others_serial; /* the reference is that of loops run by one thread each */
    bool races;         /* it differs without Keel, but not with one thread */
    struct keel_loops loops;
    unsigned total, differing; /* runs under adversarial schedules */
    unsigned kinds;
    struct kind kind[KINDS_MAX];
    double rounding; /* the tolerance under which none of them differs; INFINITY: none */
    uint64_t seed[KEEL_FINDINGS_SEEDS_MAX]; /* of the first that differ */
};

static const struct keel_run_setting first = {.shows_errors = true};
static const struct keel_run_setting plain = {0};
static const struct keel_run_setting single = {.threads = "1"};

/* --- without Keel --- */

static int refuse(const struct check *check, const struct keel_outcome *outcome)
{
    if (outcome->kind == KEEL_OUTCOME_NOT_BEGUN) {
        return outcome->error != 0 ? keel_child_refused(check->program, outcome->error)
                                   : KEEL_EXIT_OWN;
    }
    if (outcome->kind == KEEL_OUTCOME_TIMEOUT) {
        printf("'%s' does not end within %.0f s without Keel; nothing is checked (--timeout)\n",
               check->program, check->runs->checked_run.run.timeout_s);
    } else {
        printf("'%s' ends with %s without Keel; nothing is checked\n", check->program,
               keel_group_run_status_text(outcome->status));
    }
    return KEEL_CHECK_UNKNOWN;
}

/* The first run: -1, or the exit code where it can't be checked. */
static int take_reference(struct check *check)
{
    struct keel_runs *runs = check->runs;
    double stated_s = check->request->timeout_s;

    runs->checked_run.run.timeout_s = stated_s > 0 ? stated_s : FIRST_TIMEOUT_S;
    struct keel_outcome outcome = keel_runs_set_reference(runs, &first);
    if (outcome.kind == KEEL_OUTCOME_SAME && runs->status != 0) {
        outcome.kind = KEEL_OUTCOME_STATUS;
        outcome.status = runs->status;
    }
    if (outcome.kind != KEEL_OUTCOME_SAME) {
        return refuse(check, &outcome);
    }
    if (stated_s <= 0) {
        runs->checked_run.run.timeout_s = TIMEOUT_EXTRA_S + SLOWER_AT_MOST * runs->longest_s;
    }
    return -1;
}

/* Runs `count` times; the first that differs, or SAME. */
static struct keel_outcome repeat(struct check *check, const struct keel_run_setting *setting,
                                  unsigned count)
{
    struct keel_run_setting next = *setting;
    struct keel_outcome outcome = {.kind = KEEL_OUTCOME_SAME};

    for (unsigned i = 0; i < count && outcome.kind == KEEL_OUTCOME_SAME; i++) {
        outcome = keel_runs_do(check->runs, &next);
        next.seed++;
    }
    return outcome;
}

/* A new reference by runs that agree; false: they don't. */
static bool agree(struct check *check, const struct keel_run_setting *setting, unsigned count)
{
    return keel_runs_set_reference(check->runs, setting).kind == KEEL_OUTCOME_SAME &&
           check->runs->status == 0 && repeat(check, setting, count - 1).kind == KEEL_OUTCOME_SAME;
}

/* Finds the lines that differ without Keel; false: there is too much else. */
static bool leave_out(struct check *check)
{
    if (keel_runs_set_reference(check->runs, &plain).kind != KEEL_OUTCOME_SAME) {
        return false;
    }
    for (unsigned i = 0; i < UNSTEADY_RUNS; i++) {
        enum keel_outcome_kind kind = keel_runs_do(check->runs, &plain).kind;
        if (kind == KEEL_OUTCOME_OUTPUT ? !keel_runs_leave_out(check->runs)
                                        : kind != KEEL_OUTCOME_SAME) {
            return false;
        }
    }
    keel_results_print_left_out(&check->runs->results);
    return true;
}

/* The program differs without Keel, as `outcome` has shown. -1: it can be checked all the same. */
static int handle_unsteady(struct check *check, const struct keel_outcome *outcome)
{
    static const struct keel_loops none;
    const struct keel_run_setting tame = {
        .checked = true, .others_serial = true, .loops = &none, .seed = check->request->seed};
    char text[KEEL_RUNS_TEXT_MAX];

    keel_runs_describe(check->runs, outcome, text);
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
static int run_plain(struct check *check)
{
    int code = take_reference(check);

    if (code >= 0) {
        return code;
    }
    struct keel_outcome outcome = repeat(check, &plain, check->request->plain_runs - 1);
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

static void note(struct check *check, const struct keel_outcome *outcome, uint64_t seed)
{
    unsigned i = 0;

    if (check->differing < KEEL_FINDINGS_SEEDS_MAX) {
        check->seed[check->differing] = seed;
    }
    check->differing++;
    check->rounding = fmax(check->rounding, outcome->rounding > 0 ? outcome->rounding : INFINITY);
    while (i < check->kinds && !alike(&check->kind[i].outcome, outcome)) {
        i++;
    }
    if (i == check->kinds && i < KINDS_MAX) {
        check->kind[check->kinds++] = (struct kind){.outcome = *outcome, .seed = seed};
    }
    if (i < check->kinds) {
        check->kind[i].runs++;
    }
}

/* -1, or the exit code after a run that could not begin. */
static int run_random(struct check *check)
{
    struct keel_run_setting setting = {
        .checked = true, .seed = check->request->seed, .others_serial = check->others_serial};

    while (check->total < check->request->random_runs && check->differing < DIFFERING_ENOUGH &&
           (check->total < RANDOM_RUNS_LEAST || !keel_runs_over(check->runs))) {
        struct keel_outcome outcome = keel_runs_do(check->runs, &setting);
        if (outcome.kind == KEEL_OUTCOME_NOT_BEGUN) {
            return keel_group_run_signal() != 0 && check->total > 0 ? -1 : refuse(check, &outcome);
        }
        check->total++;
        if (outcome.kind != KEEL_OUTCOME_SAME) {
            note(check, &outcome, setting.seed);
        }
        setting.seed++;
    }
    return -1;
}

/* --- the verdict --- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* A region's name without "parallel region ". */
static const char *place_of(const char *region)
{
    return region + strlen("parallel region ");
}

/* What the runs could not check. */
static void tell_unreached(const struct check *check)
{
    const struct keel_loops *loops = &check->loops;

    if (loops->threads == 1) {
        printf("all teams had one thread, for which no schedule makes a difference (-t)\n");
    }
    if (loops->unreached > 0) {
        printf("no loop came to Keel in %zu parallel region%s (%s%s%s); static and bare loops do "
               "when they are compiled with `keel cflags --nowait --explicit=static`\n",
               loops->unreached, plural(loops->unreached), place_of(loops->region[0]),
               loops->unreached > 1 ? ", " : "",
               loops->unreached > 2   ? "..."
               : loops->unreached > 1 ? place_of(loops->region[1])
                                      : "");
    }
}

/* ^C: what is known by then is printed all the same. */
static void tell_interrupted(const struct check *check)
{
    if (keel_group_run_signal() != 0) {
        printf("interrupted after %u of %u runs under random schedules\n", check->total,
               check->request->random_runs);
    }
}

static int tell_same(const struct check *check)
{
    const struct keel_loops *loops = &check->loops;
    uint64_t seed = check->request->seed;

    if (loops->count == 0) {
        const char *runtime = keel_unseen_runtime(check->program);
        printf("no loop of '%s' came to Keel, so nothing was checked; %s\n", check->program,
               runtime[0] != '\0' ? runtime
                                  : "compile it with schedule(runtime) clauses or with the flags "
                                    "of `keel cflags --nowait`");
        return KEEL_CHECK_UNKNOWN;
    }
    printf("'%s': the same results in %u run%s without Keel and %u under random schedules (%zu "
           "loop%s, %u thread%s, seeds %llu to %llu)\n",
           check->program, check->request->plain_runs, plural(check->request->plain_runs),
           check->total, loops->count, plural(loops->count), loops->threads, plural(loops->threads),
           (unsigned long long)seed, (unsigned long long)(seed + check->total - 1));
    tell_interrupted(check);
    tell_unreached(check);
    return check->races ? KEEL_CHECK_UNKNOWN : KEEL_CHECK_SAME;
}

static int tell_differences(const struct check *check)
{
    struct keel_suspicion suspicion = {
        .runs = check->runs,
        .loops = &check->loops,
        .others_serial = check->others_serial,
        .differing = check->differing,
        .total = check->total,
        .next_seed = check->request->seed + check->total,
        .runs_max = 3 * check->request->random_runs,
    };

    printf("'%s': %u of %u runs under random schedules differ from those without (%zu loop%s, %u "
           "thread%s)\n",
           check->program, check->differing, check->total, check->loops.count,
           plural(check->loops.count), check->loops.threads, plural(check->loops.threads));
    for (unsigned i = 0; i < check->kinds; i++) {
        char text[KEEL_RUNS_TEXT_MAX];
        keel_runs_describe(check->runs, &check->kind[i].outcome, text);
        printf("  %s (%u run%s, seed %llu)\n", text, check->kind[i].runs,
               plural(check->kind[i].runs), (unsigned long long)check->kind[i].seed);
    }
    if (check->rounding <= KEEL_ROUNDING_MAX) {
        printf("  that is rounding, as where numbers are added up in another order; with "
               "--tolerance=%g it "
               "counts as the same\n",
               check->rounding);
    }
    tell_interrupted(check);
    fflush(stdout);
    memcpy(suspicion.seed, check->seed, sizeof suspicion.seed);
    keel_findings_print(&suspicion);
    tell_unreached(check);
    return KEEL_CHECK_DIFFERS;
}

int keel_check_run(const struct keel_check_request *request)
{
    struct check check = {.request = request,
                          .runs = request->runs,
                          .program = request->runs->checked_run.run.program[0]};

    request->runs->end_s = keel_clock_s() + request->budget_s;
    int code = run_plain(&check);
    if (code < 0) {
        code = run_random(&check);
    }
    if (code >= 0) {
        return code;
    }
    if (keel_loops_read(keel_runs_report(request->runs), &check.loops)) {
        code = check.differing > 0 ? tell_differences(&check) : tell_same(&check);
    } else {
        keel_message("no memory for the loops of '%s'", check.program);
        code = KEEL_EXIT_OWN;
    }
    keel_loops_free(&check.loops);
    return code;
}
