/* What may be risked, by hand: ahead and behind, movements, and rates that alternate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/balance/budget.h"

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static struct keel_account *begin(void)
{
    struct keel_account *account = malloc(keel_account_size(2));

    keel_account_begin(account, 2, 5);
    return account;
}

static void first_shares_gain_nothing(void **state)
{
    struct keel_account *account = begin();
    double work[] = {50, 50}, rate[] = {5, 10};

    (void)state;
    assert_true(keel_account_first_time(account, 100, rate) == 0);
    keel_account_note(account, 15, work, rate);
    keel_account_note(account, 25, work, (double[]){10, 10});
    assert_true(is_near(keel_account_first_time(account, 100, rate), 10));
    assert_true(is_near(keel_account_purse(account, INFINITY), KEEL_ACCOUNT_BUDGET * 40));
    assert_true(is_near(keel_account_purse(account, 80), KEEL_ACCOUNT_BUDGET * 100));
    free(account);
}

/* 10 s with the first shares, then 10 s of which a movement takes 2: in 8 s shares of 1 : 2 are
 * done 8 / 6.67 times, which the first ones would be once in 10 s. */
static void savings_and_movements_count(void **state)
{
    struct keel_account *account = begin();
    double rate[] = {5, 10};

    (void)state;
    keel_account_note(account, 15, (double[]){50, 50}, rate);
    keel_account_moved(account, 2);
    keel_account_moved(account, NAN);
    keel_account_note(account, 25, (double[]){100 / 3.0, 200 / 3.0}, rate);
    assert_true(
        is_near(keel_account_purse(account, 0), KEEL_ACCOUNT_BUDGET * 20 + (2.2 / 2 - 1) * 20));
    free(account);
}

/* Following a load one span too late: 10 s undisturbed with the shares of the loaded state, and
 * 10 s loaded with the first ones. In time that is 25 % lost and nothing; in work a sixth. */
static void work_counts_rather_than_time(void **state)
{
    struct keel_account *account = begin();

    (void)state;
    keel_account_note(account, 5, (double[]){50, 50}, (double[]){10, 10});
    keel_account_note(account, 15, (double[]){100 / 3.0, 200 / 3.0}, (double[]){10, 10});
    keel_account_note(account, 25, (double[]){50, 50}, (double[]){5, 10});
    assert_true(
        is_near(keel_account_purse(account, 0), KEEL_ACCOUNT_BUDGET * 20 + (2.5 / 3 - 1) * 20));
    free(account);
}

static void nothing_to_do_is_ignored(void **state)
{
    struct keel_account *account = begin();
    double none[] = {0, 0}, rate[] = {1, 1};

    (void)state;
    keel_account_note(account, 15, none, rate);
    assert_true(keel_account_purse(account, 1) == KEEL_ACCOUNT_BUDGET);
    keel_account_note(account, 25, (double[]){1, 0}, rate);
    assert_true(is_near(keel_account_first_time(account, 4, rate), 4));
    free(account);
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
