/* Estimates of rates, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/rehearse/estimates.h"
#include "tests/support/near.h"

#define WORKERS 2

static double estimate(const double *value, enum keel_estimate kind)
{
    return keel_estimates_of(value, WORKERS, kind)[0];
}

/* Worker 0 has rate 8, for one decision 4, and 8 again; worker 1 stays. */
static void low_ones_fall_at_once_and_rise_slowly(void **state)
{
    const double rate[] = {8, 8, 4, 8, 8};
    double value[KEEL_ESTIMATES * WORKERS];

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        keel_estimates_note(value, WORKERS, i + 1, (double[]){rate[i], 3}, (double[]){7, 3});
        if (i == 2) {
            assert_true(estimate(value, KEEL_ESTIMATE_LOW_4) == 4);
            assert_true(estimate(value, KEEL_ESTIMATE_LOW_16) == 4);
        }
    }
    assert_true(estimate(value, KEEL_ESTIMATE_LAST) == 8);
    assert_true(estimate(value, KEEL_ESTIMATE_FORESEEN) == 8);
    assert_true(estimate(value, KEEL_ESTIMATE_FILTERED) == 7);
    assert_true(is_near(estimate(value, KEEL_ESTIMATE_LONG_MEAN), 36. / 5));
    assert_true(is_near(estimate(value, KEEL_ESTIMATE_LOW_4), 5.75));      /* 4, 5, 5.75 */
    assert_true(is_near(estimate(value, KEEL_ESTIMATE_LOW_16), 4.484375)); /* 4, 4.25 */
    assert_true(estimate(value, KEEL_ESTIMATE_LOWEST) == 4);
    for (unsigned kind = 0; kind < KEEL_ESTIMATES; kind++) {
        assert_true(keel_estimates_of(value, WORKERS, (enum keel_estimate)kind)[1] == 3);
    }
}

/* After 32 decisions, the mean forgets. */
static void long_means_forget(void **state)
{
    double value[KEEL_ESTIMATES * WORKERS];

    (void)state;
    for (unsigned i = 1; i <= 1000; i++) {
        keel_estimates_note(value, WORKERS, i, (double[]){i <= 500 ? 1 : 2, 1}, (double[]){1, 1});
        assert_true(i != 501 || is_near(estimate(value, KEEL_ESTIMATE_LONG_MEAN), 1 + 1. / 32));
    }
    assert_true(is_within(estimate(value, KEEL_ESTIMATE_LONG_MEAN), 2, 1e-6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_ones_fall_at_once_and_rise_slowly),
        cmocka_unit_test(long_means_forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
