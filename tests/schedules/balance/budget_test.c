/* What may be risked, by hand: ahead and behind, movements, and rates that alternate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/balance/budget.h"
#include "tests/support/near.h"

static struct keel_budget *begin(void)
{
    struct keel_budget *budget = malloc(keel_budget_size(2));

    keel_budget_begin(budget, 2, 5);
    return budget;
}

static void first_shares_gain_nothing(void **state)
{
    struct keel_budget *budget = begin();
    double work[] = {50, 50}, rate[] = {5, 10};

    (void)state;
    assert_true(keel_budget_first_shares_s(budget, 100, rate) == 0);
    keel_budget_note(budget, 15, work, rate);
    keel_budget_note(budget, 25, work, (double[]){10, 10});
    assert_true(is_near_unit(keel_budget_first_shares_s(budget, 100, rate), 10));
    assert_true(is_near_unit(keel_budget_left_s(budget, INFINITY), KEEL_BUDGET_PART * 40));
    assert_true(is_near_unit(keel_budget_left_s(budget, 80), KEEL_BUDGET_PART * 100));
    free(budget);
}

/* 10 s with the first shares, then 10 s of which a movement takes 2: in 8 s shares of 1 : 2 are
 * done 8 / 6.67 times, which the first ones would be once in 10 s. */
static void savings_and_movements_count(void **state)
{
    struct keel_budget *budget = begin();
    double rate[] = {5, 10};

    (void)state;
    keel_budget_note(budget, 15, (double[]){50, 50}, rate);
    keel_budget_note_movement(budget, 2);
    keel_budget_note_movement(budget, NAN);
    keel_budget_note(budget, 25, (double[]){100 / 3.0, 200 / 3.0}, rate);
    assert_true(
        is_near_unit(keel_budget_left_s(budget, 0), KEEL_BUDGET_PART * 20 + (2.2 / 2 - 1) * 20));
    free(budget);
}

/* Following a load one span too late: 10 s undisturbed with the shares of the loaded state, and
 * 10 s loaded with the first ones. In time that is 25 % lost and nothing; in work a sixth. */
static void work_counts_rather_than_time(void **state)
{
    struct keel_budget *budget = begin();

    (void)state;
    keel_budget_note(budget, 5, (double[]){50, 50}, (double[]){10, 10});
    keel_budget_note(budget, 15, (double[]){100 / 3.0, 200 / 3.0}, (double[]){10, 10});
    keel_budget_note(budget, 25, (double[]){50, 50}, (double[]){5, 10});
    assert_true(
        is_near_unit(keel_budget_left_s(budget, 0), KEEL_BUDGET_PART * 20 + (2.5 / 3 - 1) * 20));
    free(budget);
}

static void nothing_to_do_is_ignored(void **state)
{
    struct keel_budget *budget = begin();
    double none[] = {0, 0}, rate[] = {1, 1};

    (void)state;
    keel_budget_note(budget, 15, none, rate);
    assert_true(keel_budget_left_s(budget, 1) == KEEL_BUDGET_PART);
    keel_budget_note(budget, 25, (double[]){1, 0}, rate);
    assert_true(is_near_unit(keel_budget_first_shares_s(budget, 4, rate), 4));
    free(budget);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_shares_gain_nothing),
        cmocka_unit_test(savings_and_movements_count),
        cmocka_unit_test(work_counts_rather_than_time),
        cmocka_unit_test(nothing_to_do_is_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
