/* Samples, paces and weights, on numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "schedules/learn/learner.h"
#include "tests/support/near.h"

/* 10 iterations in 100, 20 in 100: (1 x 100 + 2 x 100) / (1 x 10 + 2 x 20) = 6; plain mean 6.67. */
static void later_chunks_count_more(void **state)
{
    struct keel_sample sample = {0};

    (void)state;
    assert_near(keel_sample_pace_ns(&sample), 0);
    keel_sample_add(&sample, 10, 100);
    assert_near(keel_sample_pace_ns(&sample), 10);
    keel_sample_add(&sample, 20, 100);
    assert_near(keel_sample_pace_ns(&sample), 6);
    assert_int_equal(sample.count, 2);
}

/* Paces 10 and 40: speeds 0.1 and 0.025, mean 0.0625, weights 1.6 and 0.4. */
static void weights_are_relative_speeds(void **state)
{
    struct keel_speeds speeds = {0};

    (void)state;
    keel_speeds_add(&speeds, 10);
    keel_speeds_add(&speeds, 40);
    assert_near(keel_speeds_weight(&speeds, 10), 1.6);
    assert_near(keel_speeds_weight(&speeds, 40), 0.4);
}

static void threads_without_a_pace_have_weight_1(void **state)
{
    struct keel_speeds speeds = {0};

    (void)state;
    assert_near(keel_speeds_weight(&speeds, 0), 1);
    keel_speeds_add(&speeds, 0);
    assert_int_equal(speeds.measured, 0);
    keel_speeds_add(&speeds, 5);
    assert_near(keel_speeds_weight(&speeds, 5), 1);
    assert_near(keel_speeds_weight(&speeds, 0), 1);
}

/* A chunk that took no time on the clock leaves the thread unmeasured, not infinitely quick. */
static void no_time_is_no_pace(void **state)
{
    struct keel_sample sample = {0};

    (void)state;
    keel_sample_add(&sample, 7, 0);
    assert_near(keel_sample_pace_ns(&sample), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_chunks_count_more),
        cmocka_unit_test(weights_are_relative_speeds),
        cmocka_unit_test(threads_without_a_pace_have_weight_1),
        cmocka_unit_test(no_time_is_no_pace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
