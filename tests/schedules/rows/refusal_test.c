/* Movements that come to nothing by the weights of single rows: how often they are tried. */
#include <stddef.h>
#include <stdint.h>

#include "schedules/rows/refusal.h"
#include "tests/support/unit.h"

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

TEST(what_is_in_vain_is_tried_ever_more_rarely)
{
    struct keel_refusal refusal = {0};

    assert_int_equal(until_tried(&refusal, 0.01), 0);
    for (unsigned pause = 1; pause <= 64; pause *= 2) {
        assert_int_equal(until_tried(&refusal, 0.01), pause);
    }
    assert_int_equal(until_tried(&refusal, 0.01), 64); /* and for ever */
}

TEST(what_promises_more_is_tried_at_once)
{
    struct keel_refusal refusal = {0};

    until_tried(&refusal, 0.01);
    until_tried(&refusal, 0.01);
    assert_false(keel_refusal_tries(&refusal, 0.012));
    assert_true(keel_refusal_tries(&refusal, 0.02));
}

TEST(rows_that_have_moved_begin_anew)
{
    struct keel_refusal refusal = {0};

    until_tried(&refusal, 0.01);
    until_tried(&refusal, 0.01);
    keel_refusal_note(&refusal, 0.5, true);
    assert_true(keel_refusal_tries(&refusal, 0.01));
}
