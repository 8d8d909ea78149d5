/* Fuzz target: no text makes the spec parser fail, what it writes reads back to the same spec, and
 * the plan or the team of any spec hands out every iteration once. Aborts where that does not hold.
 */
#include "tests/fuzz/driver.h"

#include <stdlib.h>
#include <string.h>

#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"
#include "schedules/learn/learn.h"
#include "schedules/loop/spec.h"

#define THREADS_MAX 5

static void check_problem(enum keel_spec_result result, const char *problem)
{
    expect(memchr(problem, '\0', KEEL_PROBLEM_MAX) != NULL, "the problem has no end");
    expect((result == KEEL_SPEC_GOOD) == (problem[0] == '\0'), "problem and result disagree");
}

static void check_round_trip(const struct keel_spec *spec)
{
    char text[KEEL_SPEC_TEXT_MAX], problem[KEEL_PROBLEM_MAX];
    struct keel_spec back;
    int length = keel_spec_write(spec, text, sizeof text);

    expect(length > 0 && length < KEEL_SPEC_TEXT_MAX, "the text does not fit");
    expect(keel_spec_read(text, (size_t)length, &back, problem) == KEEL_SPEC_GOOD,
           "the text that was written is not good");
    expect(keel_spec_equal(spec, &back), "the spec that was written reads back otherwise");
}

static void count_runs(unsigned char *runs, uint64_t iterations, uint64_t first, uint64_t last)
{
    expect(first < last && last <= iterations, "a chunk is empty or out of bounds");
    while (first < last) {
        runs[first++]++;
    }
}

/* Members of the team take turns, so what they get adds up only if all chunks of all threads do. */
static void run_plan(const struct keel_spec *spec, uint64_t iterations, uint64_t threads,
                     unsigned char *runs)
{
    static const double weights[THREADS_MAX] = {1, 1, 1, 1, 1};
    struct keel_plan fallback;
    struct keel_claims claims = {0};
    uint64_t first, last;

    for (uint64_t i = 0; i < threads; i++) {
        struct keel_problem problem = {.spec = spec,
                                       .iterations = iterations,
                                       .threads = threads,
                                       .thread = i,
                                       .weights = weights};
        struct keel_plan *plan = keel_plan_build(&problem, realloc, &fallback);
        struct keel_cursor cursor;
        keel_cursor_begin(&cursor, plan);
        /* the last thread finds what the others left, except where each has its own */
        for (int turns = i + 1 == threads || plan->claim == KEEL_CLAIM_OWN ? 200 : 3;
             turns > 0 && keel_claim(plan, &claims, &cursor, &first, &last); turns--) {
            count_runs(runs, iterations, first, last);
        }
        if (plan != &fallback) {
            free(plan);
        }
    }
}

static void run_team(const struct keel_spec *spec, uint64_t iterations, uint64_t threads,
                     unsigned char *runs)
{
    struct keel_team *team = aligned_alloc(64, keel_team_size(threads));
    struct keel_team_worker worker;
    uint64_t first, last;

    keel_team_begin(team, spec, iterations, threads, NULL, NULL);
    for (uint64_t i = 0; i < threads; i++) {
        keel_team_worker_begin(&worker, team, i, (struct keel_pace){0});
        for (int turns = i + 1 == threads ? 200 : 3;
             turns > 0 && keel_team_worker_next(&worker, &first, &last); turns--) {
            count_runs(runs, iterations, first, last);
            keel_team_worker_done(&worker, 100.0 * (double)(i + 1) * (double)(last - first), 20);
        }
    }
    free(team);
}

static void check_loop(const struct keel_spec *spec, uint64_t iterations, uint64_t threads)
{
    unsigned char runs[128] = {0};

    (keel_plan_exists(spec->schedule) ? run_plan : run_team)(spec, iterations, threads, runs);
    for (uint64_t i = 0; i < iterations; i++) {
        expect(runs[i] == 1, "an iteration does not run exactly once");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keel_spec spec;
    char problem[KEEL_PROBLEM_MAX];
    const struct keel_cost nothing_measured = {0};
    enum keel_spec_result result = keel_spec_read((const char *)data, size, &spec, problem);

    check_problem(result, problem);
    if (result == KEEL_SPEC_UNKNOWN) {
        return 0;
    }
    check_round_trip(&spec);
    keel_cost_complete(&nothing_measured, &spec);
    check_round_trip(&spec);
    for (uint64_t threads = 1; threads <= THREADS_MAX; threads += 2) {
        check_loop(&spec, 1, threads);
        check_loop(&spec, 100, threads);
    }
    return 0;
}

/* --- texts --- */

static const char *const seeds[] = LIST(
    "static,7", "ss,5", "tss,100,10", "fac2,16", "fac:mu=100,sigma=30", "af,20",
    "aid:chunk=2,ratio=0.5,min=7", "rate,30", "afs", "steal:chunk=3,min=8",
    "tap:mu=1,sigma=1e18,alpha=1e6", "bold:min=10,mu=100,sigma=100,overhead=1000",
    "fiss:stages=1000000", "viss:stages=4,min=12", "pls:ratio=0.9,min=4",
    "rnd:seed=18446744073709551615", "monotonic:gss,4", "nonmonotonic : Static , 4 ", "gss,abc",
    "fac:sigm=1,mu=2", "tss,9223372036854775807,9223372036854775807", "gsx", "", ",:=");

static const char *const pieces[] =
    LIST("", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".", ",", ":", "=", "e", "-", " ");

FUZZ_TEXTS(.separators = ",:= ", .text_max = 96, .edits_max = 6);
