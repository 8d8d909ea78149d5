/* The rate filter's state machine: every row of the table, and a recording. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "schedules/learn/rate_filter.h"

#define assert_close(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-12)

/* The rate filter, PAPERS.md S10, with the filtered rate 1 before: 2 gives 2 - h, 1/2 gives 1/2 +
 * h/2. */
static void every_row_of_the_table(void **state)
{
    static const struct {
        enum keel_rate_state from;
        double rate;
        enum keel_rate_state to;
        double filtered;
    } rows[] = {
        {KEEL_RATE_DOWN3, 2, KEEL_RATE_DOWN1, 1.0},
        {KEEL_RATE_DOWN2, 2, KEEL_RATE_CONSTANT, 1.0},
        {KEEL_RATE_DOWN1, 2, KEEL_RATE_UP1, 1.0},
        {KEEL_RATE_CONSTANT, 2, KEEL_RATE_UP1, 1.2},
        {KEEL_RATE_UP1, 2, KEEL_RATE_UP2, 1.4},
        {KEEL_RATE_UP2, 2, KEEL_RATE_UP3, 1.6},
        {KEEL_RATE_UP3, 2, KEEL_RATE_UP3, 1.8},
        {KEEL_RATE_DOWN3, 0.5, KEEL_RATE_DOWN3, 0.55},
        {KEEL_RATE_DOWN2, 0.5, KEEL_RATE_DOWN3, 0.55},
        {KEEL_RATE_DOWN1, 0.5, KEEL_RATE_DOWN2, 0.6},
        {KEEL_RATE_CONSTANT, 0.5, KEEL_RATE_DOWN1, 0.65},
        {KEEL_RATE_UP1, 0.5, KEEL_RATE_DOWN1, 0.7},
        {KEEL_RATE_UP2, 0.5, KEEL_RATE_DOWN1, 0.75},
        {KEEL_RATE_UP3, 0.5, KEEL_RATE_CONSTANT, 0.8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_rate_filter filter = {.filtered = 1, .state = rows[i].from};
        assert_close(keel_rate_filter_update(&filter, rows[i].rate), rows[i].filtered);
        assert_close(filter.filtered, rows[i].filtered);
        assert_int_equal(filter.state, rows[i].to);
    }
}

static void first_measurement_is_taken_as_it_is(void **state)
{
    struct keel_rate_filter filter = {0};

    (void)state;
    assert_close(keel_rate_filter_update(&filter, 0.125), 0.125);
    assert_int_equal(filter.state, KEEL_RATE_CONSTANT);
}

static void an_equal_rate_counts_as_an_increase(void **state)
{
    struct keel_rate_filter filter = {.filtered = 1, .state = KEEL_RATE_CONSTANT};

    (void)state;
    assert_close(keel_rate_filter_update(&filter, 1), 1);
    assert_int_equal(filter.state, KEEL_RATE_UP1);
}

/* A thread that is disturbed for three instances and then alone again. */
static void a_recording(void **state)
{
    static const double rates[][2] = {{1, 1},        {0.5, 0.65},    {0.5, 0.53},      {0.5, 0.503},
                                      {1, 0.503},    {1, 0.503},     {1, 0.7018},      {1, 0.88072},
                                      {1, 0.976144}, {1, 0.9952288}, {0.9, 0.95713728}};
    struct keel_rate_filter filter = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        assert_close(keel_rate_filter_update(&filter, rates[i][0]), rates[i][1]);
    }
    assert_int_equal(filter.state, KEEL_RATE_CONSTANT);
}

static void rates_that_cannot_be_are_ignored(void **state)
{
    static const double rates[] = {0, -1, NAN, INFINITY, -INFINITY};

    (void)state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        struct keel_rate_filter fresh = {0};
        struct keel_rate_filter filter = {.filtered = 3, .state = KEEL_RATE_UP2};
        assert_close(keel_rate_filter_update(&fresh, rates[i]), 0);
        assert_close(keel_rate_filter_update(&filter, rates[i]), 3);
        assert_int_equal(filter.state, KEEL_RATE_UP2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_table),
        cmocka_unit_test(first_measurement_is_taken_as_it_is),
        cmocka_unit_test(an_equal_rate_counts_as_an_increase),
        cmocka_unit_test(a_recording),
        cmocka_unit_test(rates_that_cannot_be_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
