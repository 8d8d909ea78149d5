/* How much is claimed at once where answers take long: by hand. */
#include <stddef.h>

#include "schedules/claim/team.h"
#include "tests/support/unit.h"

/* Two workers, of 20 and 60 ms an iteration; the first one asks. */
static struct keel_ahead two_workers(void)
{
    return (struct keel_ahead){
        .left = 1000,
        .own_ns = 20e6,
        .team = {.measured = 2, .speed_per_ns = 1 / 20e6 + 1 / 60e6},
        .scale = 1,
        .workers = 2,
        .answer_ns = 60e6,
    };
}

TEST(it_lasts_until_the_answer_after_the_next)
{
    struct keel_ahead ahead = two_workers();

    assert_int_equal(keel_ahead_amount(&ahead), 6);
    ahead.answer_ns = 61e6;
    assert_int_equal(keel_ahead_amount(&ahead), 7);
    ahead.answer_ns = 0; /* no answer has come yet */
    assert_int_equal(keel_ahead_amount(&ahead), 3);
}

TEST(nobody_takes_more_than_its_share)
{
    struct keel_ahead ahead = two_workers();

    ahead.left = 4; /* three of them end with the other's one */
    assert_int_equal(keel_ahead_amount(&ahead), 3);
    ahead.held = 4; /* six of eight, of which it has four */
    assert_int_equal(keel_ahead_amount(&ahead), 2);
    ahead.held = 100;
    assert_int_equal(keel_ahead_amount(&ahead), 1);
    ahead.held = 0;
    ahead.left = 40; /* costs may differ from what was seen: three, or an eighth of 20 */
    ahead.answer_ns = 1e9;
    assert_int_equal(keel_ahead_amount(&ahead), 3);
    ahead.left = 4;
    ahead.own_ns = 60e6;
    assert_int_equal(keel_ahead_amount(&ahead), 1);
}

/* Chunks of five iterations each. */
TEST(steps_of_a_plan_count_as_their_iterations)
{
    struct keel_ahead ahead = two_workers();

    ahead.own_ns *= 5;
    ahead.scale = 5;
    ahead.left = 4;
    ahead.answer_ns = 1e9;
    assert_int_equal(keel_ahead_amount(&ahead), 3);
}

TEST(a_quarter_of_an_equal_share_while_nothing_is_known)
{
    struct keel_ahead ahead = two_workers();

    ahead.team.measured = 1;
    ahead.left = 16;
    assert_int_equal(keel_ahead_amount(&ahead), 2);
    ahead.own_ns = 0;
    assert_int_equal(keel_ahead_amount(&ahead), 1);
}

/* Four left, one of which the slow one has: its share is a quarter of what both go on to have. */
TEST(who_would_end_last_does_not_claim_ahead)
{
    struct keel_ahead ahead = two_workers();

    ahead.own_ns = 60e6;
    ahead.held = 1;
    ahead.left = 4; /* 5 / 4 - 1 */
    assert_false(keel_ahead_is_wanted(&ahead));
    ahead.left = 5; /* 6 / 4 - 1 */
    assert_true(keel_ahead_is_wanted(&ahead));
    ahead.since_ns = 15e6; /* in which both do one */
    assert_false(keel_ahead_is_wanted(&ahead));
    ahead.held = 0;
    assert_true(keel_ahead_is_wanted(&ahead));
    ahead.held = 1;
    ahead.team.measured = 1;
    assert_true(keel_ahead_is_wanted(&ahead));
}

TEST(fewer_are_claimed_of_chunks_that_shrink)
{
    struct keel_ahead ahead = two_workers();

    assert_int_equal(keel_ahead_small_amount(&ahead), 3); /* one answer */
    ahead.left = 32;
    assert_int_equal(keel_ahead_small_amount(&ahead), 2);
    ahead.own_ns = 0;
    assert_int_equal(keel_ahead_small_amount(&ahead), 1);
}

TEST(few_chunks_are_claimed_at_first)
{
    assert_int_equal(keel_ahead_first(40, 2), 3);
    assert_int_equal(keel_ahead_first(400, 2), 3);
    assert_int_equal(keel_ahead_first(24, 2), 2);
    assert_int_equal(keel_ahead_first(11, 2), 0);
    assert_int_equal(keel_ahead_first(0, 1), 0);
}
