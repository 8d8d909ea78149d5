/* The selection of `auto`: replayed times with the decisions they must lead to, and reports of
 * every kind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/forecast/selection.h"
#include "tests/schedules/forecast/selection_replay.h"

/* --- deciding --- */

static void measures_until_forecasts_come(void **state)
{
    struct keel_selection selection;

    (void)state;
    keel_selection_begin(&selection, 2);
    assert_measures(&selection, KEEL_SELECTION_NEW);
    keel_selection_note(&selection, KEEL_SELECTION_MEASURE, 1e5, N);
    keel_selection_note(&selection, 0, 1e5, N);
    assert_measures(&selection, KEEL_SELECTION_NEW);
    assert_int_equal(selection.entry[0].instances, 0);
    assert_int_equal(selection.kept, -1);
}

static void what_forecasts_rule_out_is_not_tried(void **state)
{
    struct keel_selection selection = chosen((const double[]){104, 100, 103.1, 250}, 4);

    (void)state;
    assert_kept(&selection, 1, KEEL_SELECTION_FORECAST);
    for (int i = 0; i < 100; i++) {
        replay(&selection, 1, 120);
    }
    assert_int_equal(selection.measurements, 1);
}

/* Best forecast first: 1 3 0 2, all within 3 % but 4. Then the better half, 0 and 2, in the
 * opposite order; 0 is the quickest. */
static void the_rest_is_tried_and_halved(void **state)
{
    struct keel_selection selection = chosen((const double[]){102, 100, 102.9, 101, 104}, 5);

    (void)state;
    replay(&selection, 1, 110);
    replay(&selection, 3, 111);
    replay(&selection, 0, 101);
    replay(&selection, 2, 102);
    replay(&selection, 2, 102);
    assert_int_equal(selection.phase, KEEL_SELECTION_TRYING);
    replay(&selection, 0, 100);
    assert_kept(&selection, 0, KEEL_SELECTION_TRIED);
    assert_int_equal(selection.since, 0);
}

static void six_are_tried_at_most(void **state)
{
    double us[KEEL_SELECTION_MAX];

    (void)state;
    for (int i = 0; i < KEEL_SELECTION_MAX; i++) {
        us[i] = 100 + 0.1 * i;
    }
    struct keel_selection selection = chosen(us, KEEL_SELECTION_MAX);
    for (int i = 0; i < 6; i++) {
        replay(&selection, i, 100 + i);
    }
    for (int i = 2; i >= 0; i--) {
        replay(&selection, i, 100 + i);
    }
    assert_kept(&selection, 0, KEEL_SELECTION_TRIED);
}

/* 1 is 27 % slower at its first instance; 20 % would not rule it out. */
static void who_is_hopeless_is_tried_once(void **state)
{
    struct keel_selection selection = chosen((const double[]){100, 101}, 2);

    (void)state;
    replay(&selection, 0, 100);
    replay(&selection, 1, 120);
    replay(&selection, 1, 120);
    selection = chosen((const double[]){100, 101}, 2);
    replay(&selection, 0, 100);
    replay(&selection, 1, 127);
    replay(&selection, 0, 100);
    assert_kept(&selection, 0, KEEL_SELECTION_TRIED);
    assert_int_equal(selection.entry[1].instances, 1);
}

/* 100 and 118 differ by more than a tenth; the median of three is 101. */
static void a_third_instance_decides_between_two(void **state)
{
    struct keel_selection selection = chosen((const double[]){100, 100}, 2);

    (void)state;
    replay(&selection, 0, 118);
    replay(&selection, 1, 105);
    replay(&selection, 1, 105);
    replay(&selection, 0, 100);
    replay(&selection, 0, 101);
    assert_kept(&selection, 0, KEEL_SELECTION_TRIED);
    assert_true(fabs(selection.entry[0].measured_ns - 101) < 1e-9);
}

/* Seen alike, the better forecast has it. */
static void forecasts_count_as_one_instance(void **state)
{
    struct keel_selection selection = chosen((const double[]){102, 100}, 2);

    (void)state;
    replay(&selection, 1, 100);
    replay(&selection, 0, 100);
    replay(&selection, 0, 100);
    replay(&selection, 1, 100.3);
    assert_kept(&selection, 1, KEEL_SELECTION_TRIED);
}

/* Both take twice as long as forecast, so that the 2 % between the forecasts are 4 us: more than
 * two times the 1.4 us that 1 is ahead. */
static void forecasts_are_corrected_by_what_was_seen(void **state)
{
    struct keel_selection selection = chosen((const double[]){100, 102}, 2);

    (void)state;
    replay(&selection, 0, 201.4);
    replay(&selection, 1, 200);
    replay(&selection, 1, 200);
    replay(&selection, 0, 201.4);
    assert_kept(&selection, 0, KEEL_SELECTION_TRIED);
}

/* --- what comes in --- */

static void times_count_per_iteration(void **state)
{
    struct keel_selection selection = keeping();

    (void)state;
    for (uint64_t n = 1; n < 1000000; n *= 3) {
        keel_selection_note(&selection, 0, 100.0 * (double)n, n);
    }
    assert_true(fabs(selection.entry[0].measured_ns - 100) < 1e-9);
    assert_int_equal(selection.above | selection.below, 0);
}

static void useless_reports_are_ignored(void **state)
{
    struct keel_selection selection = keeping(), before = selection;

    (void)state;
    keel_selection_note(&selection, 0, NAN, N);
    keel_selection_note(&selection, 0, -1, N);
    keel_selection_note(&selection, 0, 0, N);
    keel_selection_note(&selection, 0, INFINITY, N);
    keel_selection_note(&selection, 0, 100, 0);
    keel_selection_note(&selection, 1, 100, N);
    keel_selection_note(&selection, 2, 100, N);
    keel_selection_note(&selection, -7, 100, N);
    keel_selection_note(&selection, KEEL_SELECTION_MEASURE, 100, N);
    forecast(&selection, (const double[]){200, 100}, 2);
    assert_memory_equal(&selection, &before, sizeof selection);
}

static void reports_may_come_twice_and_late(void **state)
{
    struct keel_selection selection = chosen((const double[]){100, 100, 100}, 3);

    (void)state;
    for (int i = 0; i < 5; i++) {
        keel_selection_note(&selection, 0, 1e5, N);
    }
    replay(&selection, 1, 120);
    keel_selection_note(&selection, 1, 120e3, N);
    replay(&selection, 2, 140);
    /* 2 is hopeless, and one more of it changes nothing */
    keel_selection_note(&selection, 2, 1e3, N);
    assert_int_equal(selection.entry[2].instances, 1);
    assert_kept(&selection, 0, KEEL_SELECTION_TRIED);
}

static void without_forecasts_something_is_kept(void **state)
{
    struct keel_selection selection = chosen((const double[]){NAN, -1, 0}, 3);

    (void)state;
    assert_kept(&selection, 0, KEEL_SELECTION_NO_FORECAST);
    selection = keeping();
    for (int i = 0; i < 3; i++) {
        replay(&selection, 0, 200);
    }
    selection.kept = 1;
    forecast(&selection, (const double[]){INFINITY, INFINITY}, 2);
    assert_kept(&selection, 1, KEEL_SELECTION_NO_FORECAST);
    selection = chosen((const double[]){NAN, 50}, 2);
    assert_kept(&selection, 1, KEEL_SELECTION_FORECAST);
}

static void an_earlier_choice_is_kept(void **state)
{
    struct keel_selection selection;

    (void)state;
    keel_selection_recall(&selection, 3, 2);
    assert_kept(&selection, 2, KEEL_SELECTION_RECALLED);
    for (int i = 0; i < 10; i++) {
        replay(&selection, 2, 100);
    }
    for (int i = 0; i < 3; i++) {
        replay(&selection, 2, 200);
    }
    assert_measures(&selection, KEEL_SELECTION_SLOWER);
    keel_selection_recall(&selection, 3, 3);
    assert_measures(&selection, KEEL_SELECTION_NEW);
    keel_selection_recall(&selection, 3, -1);
    assert_measures(&selection, KEEL_SELECTION_NEW);
}

static void every_reason_has_its_text(void **state)
{
    (void)state;
    for (int a = KEEL_SELECTION_NEW; a <= KEEL_SELECTION_NO_FORECAST; a++) {
        assert_true(strlen(keel_selection_reason_text(a)) > 0);
        for (int b = KEEL_SELECTION_NEW; b < a; b++) {
            assert_string_not_equal(keel_selection_reason_text(a), keel_selection_reason_text(b));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_until_forecasts_come),
        cmocka_unit_test(what_forecasts_rule_out_is_not_tried),
        cmocka_unit_test(the_rest_is_tried_and_halved),
        cmocka_unit_test(six_are_tried_at_most),
        cmocka_unit_test(who_is_hopeless_is_tried_once),
        cmocka_unit_test(a_third_instance_decides_between_two),
        cmocka_unit_test(forecasts_count_as_one_instance),
        cmocka_unit_test(forecasts_are_corrected_by_what_was_seen),
        cmocka_unit_test(times_count_per_iteration),
        cmocka_unit_test(useless_reports_are_ignored),
        cmocka_unit_test(reports_may_come_twice_and_late),
        cmocka_unit_test(without_forecasts_something_is_kept),
        cmocka_unit_test(an_earlier_choice_is_kept),
        cmocka_unit_test(every_reason_has_its_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
