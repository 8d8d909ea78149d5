/* What every schedule promises for every loop: each iteration exactly once, in bounds, no empty
 * chunk, increasing within a thread unless it is one of blocks, and, where it can be planned, the
 * sequence that its hooks define. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "schedules/loop/registry.h"
#include "tests/schedules/support/adaptive_team.h"
#include "tests/schedules/support/sequence.h"
#include "tests/schedules/support/specs.h"
#include "tests/schedules/support/team.h"
#include "tests/support/check.h"
#include "tests/support/unit.h"

#define THREADS_MAX 64
#define STEPS_MAX 20000 /* of loops with 2^63 iterations: longer sequences are compared so far */

static struct draws draws;

/* Positive, unequal, with sum P. */
static void draw_weights(double *weights, size_t threads)
{
    double sum = 0;

    for (size_t i = 0; i < threads; i++) {
        weights[i] = (double)(1 + draws_below(&draws, 1000));
        sum += weights[i];
    }
    for (size_t i = 0; i < threads; i++) {
        weights[i] *= (double)threads / sum;
    }
}

static void assert_follows_hooks(const struct team *team, const struct keel_problem *problem)
{
    if (problem->spec->schedule->claim == KEEL_CLAIM_WEIGHTED) {
        return;
    }
    struct sequence wanted = sequence_of_hooks(problem, team->steps + 1);
    assert_int_equal(team->steps, wanted.steps);
    for (size_t step = 0; step < wanted.steps; step++) {
        if (team->chunks[step].last != wanted.bound[step + 1]) {
            fail_msg("step %zu ends at %llu, not at %llu", step,
                     (unsigned long long)team->chunks[step].last,
                     (unsigned long long)wanted.bound[step + 1]);
        }
    }
    assert_int_equal(keel_plan_steps(team->members[0].plan), wanted.steps);
    sequence_free(&wanted);
}

static void check_plan(const struct keel_spec *spec, uint64_t iterations, uint64_t threads)
{
    double weights[THREADS_MAX];
    struct keel_problem problem = {
        .spec = spec, .iterations = iterations, .threads = threads, .weights = weights};

    draw_weights(weights, threads);
    struct team team = team_begin(&problem);
    team_run(&team, &draws);
    team_assert_complete(&team);
    assert_follows_hooks(&team, &problem);
    team_end(&team);
}

/* Where threads are absent or stop, the others have all that these do not hold. */
static void check_adaptive(const struct keel_spec *spec, uint64_t iterations, uint64_t threads,
                           size_t limit)
{
    struct adaptive_habits habits = {.wild = draws_below(&draws, 2) == 0,
                                     .absent = draws_below(&draws, 3) == 0,
                                     .quit = draws_below(&draws, 3) == 0,
                                     .limit = limit};
    struct adaptive_team team = adaptive_team_begin(spec, iterations, threads, NULL);

    adaptive_team_run(&team, habits, &draws);
    adaptive_team_assert_complete(&team);
    adaptive_team_end(&team);
}

static void check(const struct keel_spec *spec, uint64_t iterations, uint64_t threads)
{
    if (keel_plan_exists(spec->schedule)) {
        check_plan(spec, iterations, threads);
    } else {
        check_adaptive(spec, iterations, threads, 0);
    }
}

/* By day with all small numbers of threads, and some of the others. */
static void small_loops(void **state)
{
    struct keel_spec spec = specs_read(*state);

    for (uint64_t threads = 1; threads <= THREADS_MAX;
         threads += check_nightly() || threads < 8 ? 1 : 7) {
        const uint64_t iterations[] = {0, 1, 2, threads - 1, threads, threads + 1, 97, 211, 1000};
        for (size_t i = 0; i < sizeof iterations / sizeof iterations[0]; i++) {
            check(&spec, iterations[i], threads);
        }
    }
}

/* By day each with one number of threads, which is drawn. */
static void a_million_iterations(void **state)
{
    static const uint64_t threads[] = {1, 2, 7};
    struct keel_spec spec = specs_read(*state);
    uint64_t drawn = draws_below(&draws, 3);

    for (uint64_t i = 0; i < 3; i++) {
        if (check_nightly() || i == drawn) {
            check(&spec, 1000003, threads[i]);
        }
    }
}

/* Weighted sequences depend on who claims, but halve what is left for as long as min_chunk lets
 * them. */
static bool is_bounded(const struct keel_problem *problem)
{
    if (problem->spec->schedule->claim == KEEL_CLAIM_WEIGHTED) {
        return true;
    }
    struct sequence sequence = sequence_of_hooks(problem, STEPS_MAX);
    bool bounded = sequence.steps < STEPS_MAX;
    sequence_free(&sequence);
    return bounded;
}

static void assert_begins_as_hooks_do(const struct keel_problem *problem)
{
    struct keel_plan fallback, *plan = keel_plan_build(problem, realloc, &fallback);
    struct sequence got = sequence_of_plan(plan, STEPS_MAX);
    struct sequence wanted = sequence_of_hooks(problem, STEPS_MAX);

    sequence_assert_equal(&got, &wanted);
    sequence_free(&got);
    sequence_free(&wanted);
    free(plan);
}

/* By day each with one number of threads. */
static void extreme_loops(void **state)
{
    /* blocks are counted in units of more than an iteration from 2^32 - 1 on */
    const uint64_t iterations[] = {UINT32_MAX - 1ull, UINT32_MAX, UINT32_MAX + 1ull, 5ull << 32,
                                   (1ull << 63) - 1,  1ull << 63, UINT64_MAX - 1,    UINT64_MAX};
    const uint64_t threads[] = {1, 2, 3, 64};
    struct keel_spec spec = specs_read(*state);

    for (size_t i = 0; i < 32; i++) {
        struct keel_problem problem = {
            .spec = &spec, .iterations = iterations[i / 4], .threads = threads[i % 4]};
        if (!check_nightly() && i % 4 != i / 4 % 4) {
            continue;
        }
        if (!keel_plan_exists(spec.schedule)) {
            check_adaptive(&spec, problem.iterations, problem.threads, STEPS_MAX);
        } else if (is_bounded(&problem)) {
            check(&spec, problem.iterations, problem.threads);
        } else {
            assert_begins_as_hooks_do(&problem);
        }
    }
}

TEST(every_schedule_is_tested)
{
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        bool found = false;
        for (size_t j = 0; specs_texts[j] != NULL; j++) {
            found = found || specs_read(specs_texts[j]).schedule == keel_registry[i];
        }
        if (!found) {
            fail_msg("%s is not in specs.c", keel_registry[i]->name);
        }
    }
}

BEFORE_TESTS
{
    draws = draws_begin();
    for (const char *const *text = specs_texts; *text != NULL; text++) {
        ADD_CASE(small_loops, *text, "%s: small loops", *text);
        ADD_CASE(a_million_iterations, *text, "%s: a million iterations", *text);
        ADD_CASE(extreme_loops, *text, "%s: extreme loops", *text);
    }
}
