/* Decisions by rate, by hand: shares, the threshold, and when a movement pays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/balance/budget.h"
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

/* 5 % to gain: at the first decision nothing moves, at the second one small adjustments do. */
static void small_gains_wait_for_the_release(void **state)
{
    uint64_t rows[] = {1050, 950};
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, rows, (double[]){10, 10});
    int moves = 0;

    (void)state;
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_MOVE);
    assert_rows(&run, (uint64_t[]){1000, 1000});
    for (int i = 0; i < 24; i++) { /* as if it had not moved: every 8th decision in the end */
        moves += decide(&run).verdict == KEEL_DECISION_MOVE;
    }
    assert_in_range(moves, 4, 6);
    end(&run);
    run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){1004, 996}, (double[]){10, 10});
    for (int i = 0; i < 40; i++) {
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    }
    end(&run);
}

static void to_the_letter_small_gains_stay_for_good(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){1050, 950}, (double[]){10, 10});

    (void)state;
    run.rules.greatly = INFINITY;
    for (int i = 0; i < 40; i++) {
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    }
    end(&run);
}

/* By the means of the rates row 0's worker is slower, but at present it is not. */
static void adjustments_do_not_harm_at_present(void **state)
{
    struct steered run =
        begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){1000, 1000}, (double[]){9.4, 10});

    (void)state;
    decide(&run);
    run.report[0].rate = 10;
    run.report[0].measured = 9; /* nor do filtered rates change for one measurement */
    for (int i = 0; i < 20; i++) {
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    }
    end(&run);
}

static void last_measurement_has_to_agree(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){50, 100}, (double[]){10, 10});

    (void)state;
    run.report[0].measured = 5; /* a load has come, and filtered rates do not show it yet */
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    assert_kept(&run);
    run.report[0].measured = 8;
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_MOVE);
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

/* The budget is a part of 1100 s; what costs as much and may have to be undone for as much is too
 * much, but half of it is not, if bytes cost and not messages. */
static void what_cannot_be_risked_moves_in_part(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){100, 100}, (double[]){10, 30});
    double budget_s = KEEL_BUDGET_PART * 1100;

    (void)state;
    keel_decide_note_cost(run.steering, 0, 50000, budget_s);
    struct keel_decision decision = decide(&run);
    assert_int_equal(decision.verdict, KEEL_DECISION_MOVE);
    assert_rows(&run, (uint64_t[]){75, 125});
    assert_true(is_near_unit(decision.cost_s, budget_s / 2));
    end(&run);
    run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){100, 100}, (double[]){10, 30});
    keel_decide_note_cost(run.steering, 0, 50000, 10 * budget_s);
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_CANCELLED);
    end(&run);
}

/* Rates go back and forth every 10 s: what comes and goes is not followed where it costs. */
static void movements_that_will_be_undone_count_twice(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){100, 100}, (double[]){10, 10});
    double cost_s = 0;

    (void)state;
    run.rules.greatly = 1e-9; /* nothing moves */
    keel_decide_note_cost(run.steering, 1, 0, 0.1);
    for (int i = 1; i <= 10; i++) {
        run.situation.now_s = i * 10;
        run.situation.remaining_s = 1000;
        run.report[0].rate = i % 2 == 0 ? 10 : 5;
        struct keel_decision decision = decide(&run);
        cost_s = decision.verdict == KEEL_DECISION_CANCELLED ? decision.cost_s : cost_s;
    }
    /* rates change all the time: that is one change that goes on, see profit.h */
    assert_true(cost_s >= 0.1);
    end(&run);
    run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){100, 100}, (double[]){10, 10});
    run.rules.greatly = 1e-9;
    keel_decide_note_cost(run.steering, 1, 0, 0.1);
    for (int i = 1; i <= 21; i++) {
        run.situation.now_s = i;
        run.report[0].rate = i <= 10 || i > 20 ? 10 : 5;
        struct keel_decision decision = decide(&run);
        cost_s = decision.verdict == KEEL_DECISION_CANCELLED ? decision.cost_s : cost_s;
    }
    /* At 11 .. 20: shares of 67 : 133 are 13.3 s instead of 20 s; before, 13.3 s and not 10 s. So
     * twice 0.1 s and, for 3 decisions of 1 s, (1/10 - 1/13.3) of all work, at 13.3 s for all. */
    assert_true(fabs(cost_s - (0.2 + 3 * (1 / 10.0 - 1 / 13.3) * 13.4)) < 0.02);
    end(&run);
}

/* Shares stay as a load has made them, until what that has saved is used up. */
static void debts_end_what_is_slower_than_the_first_shares(void **state)
{
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){100, 100}, (double[]){10, 10});

    (void)state;
    keel_decide_note_cost(run.steering, 1, 0, 0.22);
    run.situation.remaining_s = 20;
    for (int second = 1; second <= 6; second++) {
        run.situation.now_s = second;
        run.report[0].rate = second >= 2 && second <= 4 ? 5 : 10;
        run.report[0].rows = second == 1 ? 100 : 67;
        run.report[1].rows = second == 1 ? 100 : 133;
        run.report[0].work = (double)run.report[0].rows;
        run.report[1].work = (double)run.report[1].rows;
        enum keel_decision_verdict verdict = decide(&run).verdict;
        assert_int_equal(verdict, second == 5   ? KEEL_DECISION_CANCELLED
                                  : second == 6 ? KEEL_DECISION_MOVE
                                                : KEEL_DECISION_KEEP);
    }
    /* 6 s, of which 3 s are 0.22 of all work and not 0.15, and 2 s are 0.15 and not 0.2 */
    assert_rows(&run, (uint64_t[]){100, 100});
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
        cmocka_unit_test(small_gains_wait_for_the_release),
        cmocka_unit_test(to_the_letter_small_gains_stay_for_good),
        cmocka_unit_test(adjustments_do_not_harm_at_present),
        cmocka_unit_test(last_measurement_has_to_agree),
        cmocka_unit_test(costs_are_weighed),
        cmocka_unit_test(what_cannot_be_risked_moves_in_part),
        cmocka_unit_test(movements_that_will_be_undone_count_twice),
        cmocka_unit_test(debts_end_what_is_slower_than_the_first_shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
