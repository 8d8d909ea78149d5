/* Statistics of bench/. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/support/quantile.h"

static void is_near(double got, double wanted)
{
    assert_true(fabs(got - wanted) < 1e-12);
}

static void quantiles_lie_between_neighbours(void **state)
{
    const double value[] = {40, 10, 30, 20};

    (void)state;
    is_near(median(value, 4), 25);
    is_near(median(value, 3), 30);
    is_near(quantile(value, 4, 0), 10);
    is_near(quantile(value, 4, 0.25), 17.5);
    is_near(quantile(value, 4, 1), 40);
    is_near(quantile(value, 1, 0.75), 40);
}

static void values_stay_where_they_are(void **state)
{
    const double value[] = {3, 1, 2};
    double copy[] = {3, 1, 2};

    (void)state;
    median(copy, 3);
    assert_memory_equal(copy, value, sizeof value);
}

static void nothing_has_no_median(void **state)
{
    (void)state;
    assert_true(isnan(median(NULL, 0)));
    assert_true(isnan(median_ratio(NULL, NULL, 0)));
}

/* The ratio of the medians would be 3 / 2. */
static void ratios_are_taken_pair_by_pair(void **state)
{
    const double a[] = {3, 1, 8}, b[] = {1, 2, 4};

    (void)state;
    is_near(median_ratio(a, b, 3), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_lie_between_neighbours),
        cmocka_unit_test(values_stay_where_they_are),
        cmocka_unit_test(nothing_has_no_median),
        cmocka_unit_test(ratios_are_taken_pair_by_pair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
