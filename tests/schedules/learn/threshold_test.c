/* The threshold: gains by hand, and who may move when. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "schedules/learn/rate_filter.h"

static void gain_is_the_time_saved(void **state)
{
    (void)state;
    assert_true(keel_threshold_gain(4, 3) == 0.25);
    assert_true(keel_threshold_gain(4, 4) == 0);
    assert_true(keel_threshold_gain(3, 4) == 0);
    assert_true(keel_threshold_gain(4, 0) == 1);
    assert_true(keel_threshold_gain(0, 0) == 0);
    assert_true(keel_threshold_gain(NAN, 1) == 0);
    assert_true(keel_threshold_gain(1, NAN) == 0);
}

static void decisions(void **state)
{
    static const struct {
        uint64_t instances, calm;
        double gain, calm_gain;
        enum keel_blocks_decision decision;
    } rows[] = {
        {1, 1, 0, 0, KEEL_BLOCKS_MOVED},
        {100, 1, 0.1, 0, KEEL_BLOCKS_MOVED},
        {100, 7, 0.0999, 0.0999, KEEL_BLOCKS_KEPT},
        {100, 8, 0.0999, 0.0999, KEEL_BLOCKS_ADJUSTED},
        {100, 8, 0.1, 0.0999, KEEL_BLOCKS_MOVED},
        {100, 8, 0, 0.0051, KEEL_BLOCKS_ADJUSTED},
        {100, 800, 0.0999, 0.005, KEEL_BLOCKS_KEPT},
        {2, 1, 0.05, 0.05, KEEL_BLOCKS_ADJUSTED},
        {3, 1, 0.05, 0.05, KEEL_BLOCKS_ADJUSTED},
        {4, 1, 0.05, 0.05, KEEL_BLOCKS_KEPT},
        {5, 2, 0.05, 0.05, KEEL_BLOCKS_ADJUSTED},
        {9, 3, 0.05, 0.05, KEEL_BLOCKS_KEPT},
        {9, 4, 0.05, 0.05, KEEL_BLOCKS_ADJUSTED},
        {100, 8, NAN, NAN, KEEL_BLOCKS_KEPT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(
            keel_threshold_decide(rows[i].instances, rows[i].calm, rows[i].gain, rows[i].calm_gain),
            rows[i].decision);
    }
}

/* With an imbalance that never goes away, as the header lists them. */
static void adjustments_of_a_loop_become_rare(void **state)
{
    static const uint64_t due[] = {2, 3, 5, 9, 17, 25, 33};
    uint64_t calm = 0, found = 0;

    (void)state;
    for (uint64_t instance = 1; instance <= 40; instance++) {
        switch (keel_threshold_decide(instance, ++calm, 0.05, 0.05)) {
        case KEEL_BLOCKS_ADJUSTED:
            assert_int_equal(instance, due[found++]);
            calm = 0;
            break;
        case KEEL_BLOCKS_MOVED:
            assert_int_equal(instance, 1);
            calm = 0;
            break;
        default:
            break;
        }
    }
    assert_int_equal(found, sizeof(due) / sizeof(due[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gain_is_the_time_saved),
        cmocka_unit_test(decisions),
        cmocka_unit_test(adjustments_of_a_loop_become_rare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
