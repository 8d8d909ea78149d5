/* Decisions by rate, by hand: shares, the threshold, and when a movement pays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/balance/decide.h"
#include "tests/schedules/balance/decide_cases.h"
#include "tests/support/near.h"

/* --- by rate --- */

static void rows_follow_rates(void **state)
{
    struct steered run =
        begin(KEEL_DECIDE_BY_RATE, 3, (uint64_t[]){100, 100, 100}, (double[]){10, 20, 30});

    (void)state;
    struct keel_decision decision = decide(&run);
    assert_int_equal(decision.verdict, KEEL_DECISION_MOVE);
    assert_true(is_near_unit(decision.gain, 0.5)); /* 10 s, 5 s */
    assert_rows(&run, (uint64_t[]){50, 100, 150});
    assert_true(is_near_unit(run.work[2], 150));
    assert_true(is_near_unit(decision.bytes, 50000));
    assert_true(decision.messages == 1);
    end(&run);
}

/* In blocks, the 50 rows pass through the one in the middle. */
static void blocks_pass_rows_on(void **state)
{
    struct steered run =
        begin(KEEL_DECIDE_BY_RATE, 3, (uint64_t[]){100, 100, 100}, (double[]){10, 20, 30});

    (void)state;
    run.rules.adjacent = true;
    struct keel_decision decision = decide(&run);
    assert_rows(&run, (uint64_t[]){50, 100, 150});
    assert_true(is_near_unit(decision.bytes, 100000));
    assert_true(decision.messages == 2);
    end(&run);
}

static void unknown_rates_are_the_mean(void **state)
{
    double bad[] = {0, NAN, INFINITY, -INFINITY, -3};

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct steered run =
            begin(KEEL_DECIDE_BY_RATE, 3, (uint64_t[]){100, 100, 100}, (double[]){10, bad[i], 30});
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_MOVE);
        assert_rows(&run, (uint64_t[]){50, 100, 150});
        end(&run);
        run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){3, 5}, (double[]){bad[i], bad[i]});
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_NO_RATES);
        assert_kept(&run);
        end(&run);
    }
}

static void bad_numbers_are_not_known(void **state)
{
    double bad[] = {NAN, INFINITY, -1, -INFINITY};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct steered run =
            begin(KEEL_DECIDE_BY_RATE, 3, (uint64_t[]){100, 100, 100}, (double[]){10, 20, 30});
        run.report[1].work = bad[i]; /* as the others: a row each */
        run.report[0].measured = bad[i];
        run.rules.gain = bad[i];
        run.situation.remaining_s = bad[i];
        run.situation.row_bytes = bad[i];
        struct keel_decision decision = decide(&run);
        assert_int_equal(decision.verdict, KEEL_DECISION_MOVE);
        assert_true(decision.bytes == 0);
        assert_rows(&run, (uint64_t[]){50, 100, 150});
        end(&run);
    }
}

static void level_work_stays(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){100, 200}, (double[]){10, 20});

    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
        assert_kept(&run);
    }
    end(&run);
}

/* Seven rows for equal workers: whole ones cannot be shared better than 4 : 3. */
static void whole_rows_gain_nothing_more(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){3, 4}, (double[]){1, 1});

    (void)state;
    for (int i = 0; i < 20; i++) {
        struct keel_decision decision = decide(&run);
        assert_int_equal(decision.verdict, KEEL_DECISION_KEEP);
        assert_true(decision.gain == 0);
        assert_kept(&run);
    }
    end(&run);
}

static void one_worker_and_no_rows_are_level(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 1, (uint64_t[]){10}, (double[]){1});

    (void)state;
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    end(&run);
    for (int kind = KEEL_DECIDE_BY_RATE; kind <= KEEL_DECIDE_BY_SHAKE; kind++) {
        run = begin((enum keel_decide_kind)kind, 3, (uint64_t[]){0, 0, 0}, (double[]){1, 2, 3});
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
        assert_kept(&run);
        end(&run);
    }
}

static void rows_without_work_stay(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){10, 10}, (double[]){1, 2});

    (void)state;
    run.report[0].work = run.report[1].work = 0;
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    assert_kept(&run);
    end(&run);
}

static void few_rows_go_to_the_fast(void **state)
{
    struct steered run =
        begin(KEEL_DECIDE_BY_RATE, 4, (uint64_t[]){2, 0, 0, 0}, (double[]){1, 1, 100, 100});

    (void)state;
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_MOVE);
    assert_rows(&run, (uint64_t[]){0, 0, 1, 1});
    end(&run);
}

/* A worker a hundred times slower should have none of four rows, but nobody is left without. */
static void slow_workers_keep_a_row(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){2, 2}, (double[]){1, 100});

    (void)state;
    for (int adjacent = 0; adjacent < 2; adjacent++) {
        run.rules.adjacent = adjacent;
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_MOVE);
        assert_rows(&run, (uint64_t[]){1, 3});
    }
    end(&run);
    run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){110, 110}, (double[]){1, 10});
    decide(&run);
    assert_rows(&run, (uint64_t[]){20, 200});
    end(&run);
}

/* 10 rows of 4 and 10 of 1, equal rates: half of 50 lies 6.25 rows from the beginning. */
static void weights_count(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){10, 10}, (double[]){1, 1});

    (void)state;
    run.report[0].work = 40;
    run.rules.adjacent = true;
    struct keel_decision decision = decide(&run);
    assert_int_equal(decision.verdict, KEEL_DECISION_MOVE);
    assert_rows(&run, (uint64_t[]){6, 14});
    assert_true(is_near_unit(run.work[0], 25));
    assert_true(is_near_unit(decision.gain, 1 - 26 / 40.0));
    end(&run);
}

/* --- the threshold --- */

static void small_gains_stay_for_good(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){1050, 950}, (double[]){10, 10});

    (void)state;
    run.rules.greatly = INFINITY;
    for (int i = 0; i < 40; i++) {
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    }
    end(&run);
}

/* --- profit --- */

static struct keel_decision with_cost(double message_s, double remaining_s, double greatly,
                                      uint64_t rows[2])
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){100, 100}, (double[]){10, 30});

    run.rules.greatly = greatly;
    run.situation.remaining_s = remaining_s;
    keel_decide_note_cost(run.steering, 1, 0, message_s);
    struct keel_decision decision = decide(&run);
    memcpy(rows, run.rows, 2 * sizeof *rows);
    end(&run);
    return decision;
}

/* Half of the time can be saved, for 100 s as rates have lasted so far, or what remains. */
static void costs_are_weighed(void **state)
{
    uint64_t rows[2];

    (void)state;
    struct keel_decision decision = with_cost(0.25, 1000, 1, rows);
    assert_int_equal(decision.verdict, KEEL_DECISION_MOVE);
    assert_true(is_near_unit(decision.cost_s, 0.25));
    assert_true(is_near_unit(decision.saving_s, 50));
    assert_int_equal(rows[0], 50);
    decision = with_cost(0.25, 0.4, 1, rows);
    assert_int_equal(decision.verdict, KEEL_DECISION_CANCELLED);
    assert_int_equal(rows[0], 100);
    assert_int_equal(with_cost(0.08, 0.4, 1, rows).verdict, KEEL_DECISION_MOVE);
    assert_int_equal(with_cost(0.08, 0.4, 0.3, rows).verdict, KEEL_DECISION_CANCELLED);
    assert_int_equal(with_cost(1000, 0.4, INFINITY, rows).verdict, KEEL_DECISION_MOVE);
}

/* Half of the time is gained, and rates have stayed for 100 s: 50 s are saved, whatever remains of
 * the run and whatever has been saved before. */
static void published_test_weighs_past_costs_alone(void **state)
{
    static const struct {
        double cost_s, greatly;
        enum keel_decision_verdict verdict;
    } cases[] = {{49, 1, KEEL_DECISION_MOVE},
                 {51, 1, KEEL_DECISION_CANCELLED},
                 {99, 2, KEEL_DECISION_MOVE},
                 {101, 2, KEEL_DECISION_CANCELLED},
                 {1000, INFINITY, KEEL_DECISION_MOVE}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct steered run =
            begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){100, 100}, (double[]){10, 30});
        run.rules.published = true;
        run.rules.greatly = cases[i].greatly;
        run.situation.remaining_s = 0.4;
        run.report[1].measured = 10; /* what was measured last has no say: there are filters */
        keel_decide_note_cost(run.steering, 1, 0, cases[i].cost_s);
        struct keel_decision decision = decide(&run);
        assert_int_equal(decision.verdict, cases[i].verdict);
        assert_true(isinf(cases[i].greatly) || is_near_unit(decision.saving_s, 50));
        assert_true(is_near_unit(decision.cost_s, cases[i].cost_s));
        end(&run);
    }
}

/* A gain under the threshold is never taken, as with S12 left out. */
static void published_small_gains_stay_for_good(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){1050, 950}, (double[]){10, 10});

    (void)state;
    run.rules.published = true;
    for (int i = 0; i < 40; i++) {
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    }
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_follow_rates),
        cmocka_unit_test(blocks_pass_rows_on),
        cmocka_unit_test(unknown_rates_are_the_mean),
        cmocka_unit_test(bad_numbers_are_not_known),
        cmocka_unit_test(level_work_stays),
        cmocka_unit_test(whole_rows_gain_nothing_more),
        cmocka_unit_test(one_worker_and_no_rows_are_level),
        cmocka_unit_test(rows_without_work_stay),
        cmocka_unit_test(few_rows_go_to_the_fast),
        cmocka_unit_test(slow_workers_keep_a_row),
        cmocka_unit_test(weights_count),
        cmocka_unit_test(small_gains_stay_for_good),
        cmocka_unit_test(costs_are_weighed),
        cmocka_unit_test(published_test_weighs_past_costs_alone),
        cmocka_unit_test(published_small_gains_stay_for_good),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
