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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_vain_is_tried_ever_more_rarely),
        cmocka_unit_test(what_promises_more_is_tried_at_once),
        cmocka_unit_test(rows_that_have_moved_begin_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
