/* The search for the best policy, w*, alpha and period by the model; and how the model's errors are
 * corrected. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/forecast/rows_correction.h"
#include "schedules/forecast/rows_search.h"
#include "schedules/model/iterative/dynamics.h"
#include "tests/support/draws.h"

#define WORKERS_MAX 32

/* A drawn situation whose work comes and goes. */
struct drawn {
    double power[WORKERS_MAX], drift[WORKERS_MAX], deviation[WORKERS_MAX];
    uint64_t tasks[WORKERS_MAX];
    struct keel_iterative_expected expected;
    struct keel_iterative situation;
};

static double between(struct draws *draws, double low, double high)
{
    return low * pow(high / low, draws_real(draws));
}

static void draw(struct drawn *drawn, struct draws *draws)
{
    uint32_t workers = 2 + (uint32_t)draws_below(draws, WORKERS_MAX - 1);
    double flow = between(draws, 0.1, 30), stray = between(draws, 0.1, 30), sum = 0;

    for (uint32_t w = 0; w < workers; w++) {
        drawn->power[w] = between(draws, 100, 400);
        drawn->tasks[w] = 200 + draws_below(draws, 200);
        drawn->drift[w] = flow * (draws_real(draws) - 0.5);
        drawn->deviation[w] = stray * draws_real(draws);
        sum += drawn->drift[w];
    }
    for (uint32_t w = 0; w < workers; w++) {
        drawn->drift[w] -= sum / workers;
    }
    drawn->expected = (struct keel_iterative_expected){drawn->drift, drawn->deviation};
    drawn->situation = (struct keel_iterative){
        .workers = workers,
        .power = drawn->power,
        .tasks = drawn->tasks,
        .task = 1,
        .steps = 1 + 4 + draws_below(draws, 28),
        .seed = 1,
        .adjacent = draws_below(draws, 2) == 0,
        .costs = {.message_s = between(draws, 1e-4, 0.1),
                  .task_s = between(draws, 1e-5, 1e-2),
                  .decision_s = between(draws, 1e-4, 0.1)},
        .dynamics = {keel_iterative_dynamics_expect, &drawn->expected},
    };
}

static double least(const double *time_s)
{
    double result = INFINITY;

    for (int i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        result = fmin(result, time_s[i]);
    }
    return result;
}

/* The search's best beside the whole grid's: 200 drawn situations, none seen before. The second
 * search begins where the first one ended. */
static void search_finds_what_the_grid_has(void **state)
{
    struct draws draws = draws_begin();
    void *scratch = malloc(keel_rows_search_scratch(WORKERS_MAX));
    double sum[2] = {0}, worst = 0;
    enum { SITUATIONS = 200 };

    (void)state;
    for (int times = 0; times < SITUATIONS; times++) {
        struct drawn drawn;
        struct keel_rows_rule best[KEEL_ROWS_CANDIDATES], grid[KEEL_ROWS_CANDIDATES];
        double time_s[KEEL_ROWS_CANDIDATES], grid_s[KEEL_ROWS_CANDIDATES];
        draw(&drawn, &draws);
        struct keel_rows_search search = {
            .situation = &drawn.situation, .every_most = 8, .best = best, .time_s = time_s};
        struct keel_rows_search whole = search;
        whole.all = true;
        whole.best = grid;
        whole.time_s = grid_s;
        keel_rows_search_begin(drawn.situation.workers, best);
        keel_rows_search_begin(drawn.situation.workers, grid);
        keel_rows_search_run(&whole, scratch);
        for (int again = 0; again < 2; again++) {
            keel_rows_search_run(&search, scratch);
            assert_in_range(search.runs, 1, KEEL_ROWS_SEARCH_RUNS);
            double regret = least(time_s) / least(grid_s) - 1;
            assert_true(regret >= -0.02); /* the grid lacks the paper's alpha */
            sum[again] += regret;
            worst = fmax(worst, again ? regret : 0);
        }
    }
    free(scratch);
    printf("# beyond the best of the grid: %.4f in the first search, %.4f in the second, %.4f at "
           "worst\n",
           sum[0] / SITUATIONS, sum[1] / SITUATIONS, worst);
    assert_true(sum[0] / SITUATIONS < 0.005 && sum[1] / SITUATIONS < 0.003 && worst < 0.05);
}

/* The quickest rule, if w* is all that it has, is not quicker with another w*. */
static void assert_best_threshold(const struct keel_rows_search *search, void *scratch)
{
    unsigned quickest = 0;

    for (unsigned i = 1; i < KEEL_ROWS_CANDIDATES; i++) {
        quickest = search->time_s[i] < search->time_s[quickest] ? i : quickest;
    }
    struct keel_rows_rule rule = search->best[quickest];
    for (int i = 0; i < KEEL_ROWS_SEARCH_THRESHOLDS && rule.threshold > 0 && rule.alpha == 0; i++) {
        rule.threshold = 1 + 0.1 * i;
        double time_s = keel_rows_search_expect(search->situation, &rule, scratch).time_s;
        assert_true(time_s * search->factor[quickest] >= search->time_s[quickest] * (1 - 1e-12));
    }
}

static void times_are_those_of_the_best_rules(void **state)
{
    struct draws draws = draws_begin();
    void *scratch = malloc(keel_rows_search_scratch(WORKERS_MAX));

    (void)state;
    for (int times = 0; times < 60; times++) {
        struct drawn drawn;
        struct keel_rows_rule best[KEEL_ROWS_CANDIDATES];
        double time_s[KEEL_ROWS_CANDIDATES], factor[KEEL_ROWS_CANDIDATES];
        draw(&drawn, &draws);
        for (int i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
            factor[i] = 1 + 0.02 * ((i + times) % 6);
        }
        struct keel_rows_search search = {.situation = &drawn.situation,
                                          .every_most = 2,
                                          .factor = factor,
                                          .best = best,
                                          .time_s = time_s};
        keel_rows_search_begin(drawn.situation.workers, best);
        keel_rows_search_run(&search, scratch);
        for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
            double run_s = keel_rows_search_expect(&drawn.situation, &best[i], scratch).time_s;
            assert_float_equal(time_s[i], run_s * factor[i], 1e-9 * time_s[i]);
            assert_in_range(best[i].every, 1, 2);
            assert_int_equal(best[i].candidate, i);
        }
        assert_best_threshold(&search, scratch);
    }
    free(scratch);
}

/* Exchanges that cost as much as a phase, and work that hardly changes: rarely is best. */
static void rare_decisions_win_where_they_are_dear(void **state)
{
    double power[2] = {100, 100}, drift[2] = {1, -1}, time_s[KEEL_ROWS_CANDIDATES];
    uint64_t tasks[2] = {100, 100};
    struct keel_iterative_expected expected = {.drift = drift};
    struct keel_iterative situation = {
        .workers = 2,
        .power = power,
        .tasks = tasks,
        .task = 1,
        .steps = 33,
        .costs = {.decision_s = 0.02, .task_s = 1e-4},
        .dynamics = {keel_iterative_dynamics_expect, &expected},
    };
    struct keel_rows_rule best[KEEL_ROWS_CANDIDATES];
    struct keel_rows_search search = {
        .situation = &situation, .every_most = 8, .best = best, .time_s = time_s};
    void *scratch = malloc(keel_rows_search_scratch(2));

    (void)state;
    keel_rows_search_begin(2, best);
    keel_rows_search_run(&search, scratch);
    assert_in_range(best[KEEL_ROWS_BY_RATE].every, 2, 8);
    situation.costs.decision_s = 0;
    situation.costs.task_s = 0;
    drift[0] = 20;
    drift[1] = -20;
    keel_rows_search_begin(2, best);
    keel_rows_search_run(&search, scratch);
    assert_int_equal(best[KEEL_ROWS_BY_RATE].every, 1);
    free(scratch);
}

/* Where `random` is taken to be the quickest by far, no other alpha is better. */
static void the_best_alpha_is_found(void **state)
{
    const double factor[KEEL_ROWS_CANDIDATES] = {
        1e3, 1e3, 1e3, 1e3, [KEEL_ROWS_BY_RANDOM] = 1, [KEEL_ROWS_STAY] = 1e3};
    struct draws draws = draws_begin();
    void *scratch = malloc(keel_rows_search_scratch(WORKERS_MAX));

    (void)state;
    for (int times = 0; times < 10; times++) {
        struct drawn drawn;
        struct keel_rows_rule best[KEEL_ROWS_CANDIDATES], rule;
        double time_s[KEEL_ROWS_CANDIDATES];
        draw(&drawn, &draws);
        struct keel_rows_search search = {.situation = &drawn.situation,
                                          .every_most = 1,
                                          .factor = factor,
                                          .best = best,
                                          .time_s = time_s};
        keel_rows_search_begin(drawn.situation.workers, best);
        keel_rows_search_run(&search, scratch);
        rule = best[KEEL_ROWS_BY_RANDOM];
        for (rule.alpha = 0.1; rule.alpha < 1; rule.alpha += 0.2) {
            double other_s = keel_rows_search_expect(&drawn.situation, &rule, scratch).time_s;
            assert_true(other_s >= time_s[KEEL_ROWS_BY_RANDOM] * (1 - 1e-9));
        }
    }
    free(scratch);
}

/* F8 of PAPERS.md, for 8 workers. */
static void it_begins_with_the_papers_best(void **state)
{
    static const struct keel_rows_rule wanted[] = {
        [KEEL_ROWS_BY_RATE] = {.gain = 0.05},
        [KEEL_ROWS_BY_TREE] = {.gain = 0.05},
        [KEEL_ROWS_BY_DIFFUSION] = {.threshold = 1.2},
        [KEEL_ROWS_BY_REDISTRIBUTION] = {.threshold = 1.3},
        [KEEL_ROWS_BY_RANDOM] = {.threshold = 1.1, .alpha = 0.5},
        [KEEL_ROWS_STAY] = {0},
    };
    struct keel_rows_rule best[KEEL_ROWS_CANDIDATES];

    (void)state;
    keel_rows_search_begin(8, best);
    for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        assert_int_equal(best[i].candidate, i);
        assert_int_equal(best[i].every, 1);
        assert_true(best[i].threshold == wanted[i].threshold);
        assert_true(best[i].alpha == wanted[i].alpha && best[i].gain == wanted[i].gain);
    }
}

/* --- corrections --- */

static void nothing_is_corrected_at_first(void **state)
{
    struct keel_rows_correction correction = {0};
    double factor[KEEL_ROWS_CANDIDATES];

    (void)state;
    keel_rows_correction_factors(&correction, factor);
    for (int i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        assert_true(factor[i] == 1);
    }
}

/* Twice the forecast counts as e^0.5; one note beside one that is taken for granted: half of it;
 * other policies half of that. */
static void what_takes_longer_than_forecast_gets_dearer(void **state)
{
    struct keel_rows_correction correction = {0};
    double factor[KEEL_ROWS_CANDIDATES];

    (void)state;
    keel_rows_correction_note(&correction, KEEL_ROWS_BY_TREE, 2, 1);
    keel_rows_correction_factors(&correction, factor);
    assert_float_equal(factor[KEEL_ROWS_BY_TREE], exp(0.25), 1e-12);
    assert_float_equal(factor[KEEL_ROWS_BY_RATE], exp(0.125), 1e-12);
    assert_float_equal(keel_rows_correction_own(&correction), exp(0.25) - 1, 1e-12);
    for (int times = 0; times < 100; times++) {
        keel_rows_correction_note(&correction, KEEL_ROWS_BY_RATE, 1, 1);
    }
    keel_rows_correction_factors(&correction, factor);
    assert_float_equal(factor[KEEL_ROWS_BY_RATE], 1, 1e-9);
    assert_float_equal(factor[KEEL_ROWS_BY_TREE], 1, 1e-4); /* forgotten */
}

static void odd_times_correct_nothing(void **state)
{
    static const double odd[] = {0, -1, NAN, INFINITY};
    struct keel_rows_correction correction = {0};

    (void)state;
    for (int i = 0; i < 4; i++) {
        keel_rows_correction_note(&correction, 0, odd[i], 1);
        keel_rows_correction_note(&correction, 0, 1, odd[i]);
    }
    assert_true(correction.notes[0] == 0 && correction.error[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_finds_what_the_grid_has),
        cmocka_unit_test(times_are_those_of_the_best_rules),
        cmocka_unit_test(rare_decisions_win_where_they_are_dear),
        cmocka_unit_test(the_best_alpha_is_found),
        cmocka_unit_test(it_begins_with_the_papers_best),
        cmocka_unit_test(nothing_is_corrected_at_first),
        cmocka_unit_test(what_takes_longer_than_forecast_gets_dearer),
        cmocka_unit_test(odd_times_correct_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
