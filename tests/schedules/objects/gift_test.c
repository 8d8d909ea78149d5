/* Which objects are given: both end earlier for it, and together where objects allow; by hand. */
#include <stddef.h>

#include "schedules/objects/gift.h"
#include "tests/support/unit.h"

TEST(much_work_and_few_bytes_go_first)
{
    struct keel_gift_object object[] = {{1, 100000, 0}, {1, 1000, 1}, {4, 4000, 2}, {1, 10, 3}};
    struct keel_gift_case gift = {.giver_s = 7, .speed = 1};

    assert_int_equal(keel_gift_choose(&gift, object, 4), 2);
    assert_int_equal(object[0].place, 3);
    assert_int_equal(object[1].place, 2);
}

/* Two of three take the other one 2 s, as long as the third takes here. */
TEST(who_is_quicker_gets_more)
{
    struct keel_gift_object object[] = {{2, 0, 0}, {2, 0, 1}, {2, 0, 2}};
    struct keel_gift_case gift = {.giver_s = 6, .speed = 2};

    assert_int_equal(keel_gift_choose(&gift, object, 3), 2);
}

TEST(what_does_not_pay_stays)
{
    struct keel_gift_object object[] = {{1, 1e9, 0}, {1, 1e9, 1}};
    struct keel_gift_case gift = {.giver_s = 2, .speed = 1, .byte_s = 1e-8};

    assert_int_equal(keel_gift_choose(&gift, object, 2), 0);
    gift.byte_s = 1e-10;
    assert_int_equal(keel_gift_choose(&gift, object, 2), 1);
    gift.message_s = 3;
    assert_int_equal(keel_gift_choose(&gift, object, 2), 0);
    gift.message_s = 0;
    gift.receiver_s = 2; /* it has as much */
    assert_int_equal(keel_gift_choose(&gift, object, 2), 0);
}

/* The others ask, too, and begin theirs before the receiver would begin a second one. */
TEST(one_goes_where_others_come_for_the_rest)
{
    struct keel_gift_object object[10];
    struct keel_gift_case gift = {.giver_s = 12, .speed = 1, .message_s = 0.01};

    for (size_t i = 0; i < 10; i++) {
        object[i] = (struct keel_gift_object){.work_s = 3, .bytes = 1000, .place = i};
    }
    assert_int_equal(keel_gift_choose(&gift, object, 4), 2);
    gift.helpers = 2; /* one of the three stays without */
    assert_int_equal(keel_gift_choose(&gift, object, 4), 2);
    gift.helpers = 3;
    assert_int_equal(keel_gift_choose(&gift, object, 4), 1);
    gift.giver_s = 30;
    gift.helpers = 100;
    gift.message_s = 5; /* asking takes longer than an object */
    assert_true(keel_gift_choose(&gift, object, 10) > 2);
}

static const struct keel_gift_waiting one_light = {.begins_s = 1, .waits_s = 1, .next_s = 1};

/* A heavy one and a light one wait. */
TEST(a_heavy_object_goes_only_to_who_begins_it_earlier)
{
    struct keel_gift_object object[] = {{2, 1000, 0}, {1, 1000, 1}};
    struct keel_gift_case gift = {
        .giver_s = 5, .receiver_s = 2, .speed = 1, .message_s = 0.01, .byte_s = 1e-8};

    assert_int_equal(keel_gift_choose_first(&gift, &one_light, object, 2), 1);
    assert_true(object[0].work_s == 2);
    gift.giver_s = 4; /* it is begun here as soon */
    assert_int_equal(keel_gift_choose_first(&gift, &one_light, object, 2), 0);
}

TEST(an_object_stays_if_it_gains_less_than_moving_costs)
{
    struct keel_gift_object object[] = {{2, 1000, 0}};
    struct keel_gift_case gift = {.giver_s = 3.5, .receiver_s = 1.3, .speed = 1, .byte_s = 4e-5};
    const struct keel_gift_waiting waiting = {.begins_s = 1, .waits_s = 0.3, .next_s = 0.3};

    assert_int_equal(keel_gift_choose_first(&gift, &waiting, object, 1), 1);
    gift.byte_s = 6e-5; /* 0.06 s, for 0.5 s */
    assert_int_equal(keel_gift_choose_first(&gift, &waiting, object, 1), 0);
    gift.byte_s = 0;
    gift.message_s = 0.045; /* for 0.5 s less that */
    assert_int_equal(keel_gift_choose_first(&gift, &waiting, object, 1), 1);
    gift.message_s = 0.048;
    assert_int_equal(keel_gift_choose_first(&gift, &waiting, object, 1), 0);
}

TEST(the_more_could_help_the_less_caution)
{
    assert_true(keel_gift_caution(0) == keel_gift_caution(1));
    assert_float_equal(keel_gift_caution(1), KEEL_GIFT_CAUTION, 1e-9);
    for (unsigned helpers = 1; helpers < 1000; helpers++) {
        assert_true(keel_gift_caution(helpers + 1) < keel_gift_caution(helpers));
        assert_true(keel_gift_caution(helpers) > 0);
    }
    /* two: one of both takes it in 1 - (10/11)^2 of the cases */
    assert_float_equal(keel_gift_caution(2), 100.0 / 21, 1e-9);
}
