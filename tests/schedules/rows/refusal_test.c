/* Movements that come to nothing by the weights of single rows: how often they are tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedules/rows/refusal.h"

/* Decisions up to the next one at which `gain` is tried, which is in vain. */
static unsigned until_tried(struct keel_refusal *refusal, double gain)
{
    unsigned passed = 0;

    while (!keel_refusal_tries(refusal, gain)) {
        passed++;
    }
    keel_refusal_note(refusal, gain, false);
    return passed;
}

static void what_is_in_vain_is_tried_ever_more_rarely(void **state)
{
    struct keel_refusal refusal = {0};

    (void)state;
    assert_int_equal(until_tried(&refusal, 0.01), 0);
    for (unsigned pause = 1; pause <= 64; pause *= 2) {
        assert_int_equal(until_tried(&refusal, 0.01), pause);
    }
    assert_int_equal(until_tried(&refusal, 0.01), 64); /* and for ever */
}

static void what_promises_more_is_tried_at_once(void **state)
{
    struct keel_refusal refusal = {0};

    (void)state;
    until_tried(&refusal, 0.01);
    until_tried(&refusal, 0.01);
    assert_false(keel_refusal_tries(&refusal, 0.012));
    assert_true(keel_refusal_tries(&refusal, 0.02));
}

static void rows_that_have_moved_begin_anew(void **state)
{
    struct keel_refusal refusal = {0};

    (void)state;
    until_tried(&refusal, 0.01);
    until_tried(&refusal, 0.01);
    keel_refusal_note(&refusal, 0.5, true);
    assert_true(keel_refusal_tries(&refusal, 0.01));
}

static void what_moved_lately_by_measured_weights_has_to_gain_more(void **state)
{
    struct keel_refusal refusal = {0};
    double first = keel_refusal_least_gain(&refusal, false), after_two;

    (void)state;
    keel_refusal_note(&refusal, 0.5, true);
    assert_true(keel_refusal_least_gain(&refusal, false) == first);
    keel_refusal_note(&refusal, 0.05, true);
    after_two = keel_refusal_least_gain(&refusal, false);
    assert_true(after_two > 2 * first);
    keel_refusal_note(&refusal, 0.05, true);
    assert_true(keel_refusal_least_gain(&refusal, false) > 2 * after_two);
    for (int decision = 0; decision < 40; decision++) {
        keel_refusal_least_gain(&refusal, false);
    }
    assert_true(keel_refusal_least_gain(&refusal, false) == first);
}

static void work_that_is_told_is_followed_as_often_as_it_moves(void **state)
{
    struct keel_refusal refusal = {0};
    double first = keel_refusal_least_gain(&refusal, true);

    (void)state;
    assert_true(first > 0 && first < keel_refusal_least_gain(&refusal, false));
    for (int movement = 0; movement < 10; movement++) {
        keel_refusal_note(&refusal, 0.05, true);
        assert_true(keel_refusal_least_gain(&refusal, true) == first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_vain_is_tried_ever_more_rarely),
        cmocka_unit_test(what_promises_more_is_tried_at_once),
        cmocka_unit_test(what_moved_lately_by_measured_weights_has_to_gain_more),
        cmocka_unit_test(work_that_is_told_is_followed_as_often_as_it_moves),
        cmocka_unit_test(rows_that_have_moved_begin_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
