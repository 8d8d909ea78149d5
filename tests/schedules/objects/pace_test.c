/* Heavy objects and slow machines are told apart by what moved objects take; and what of the time
 * of an object was another program's. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/objects/pace.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

static bool is_near(double value, double expected, double part)
{
    return fabs(value - expected) <= part * fabs(expected);
}

/* Objects of weight 1 by the rank's own measure, of object_s each. */
static struct keel_work work_of(double objects, double object_s, unsigned threads)
{
    return (struct keel_work){.amount = objects,
                              .busy_s = objects * object_s,
                              .own_s = objects * object_s,
                              .rank_s = objects * object_s / threads};
}

static double relative(const struct keel_work *own, const struct keel_speed *own_speed,
                       const struct keel_work *other, const struct keel_speed *other_speed)
{
    struct keel_rank_speed a = keel_rank_speed(own, keel_speed_of(own_speed), 1);
    struct keel_rank_speed b = keel_rank_speed(other, keel_speed_of(other_speed), 1);

    return keel_relative_speed(&a, &b);
}

static const struct keel_speed nothing_moved;

TEST(a_rank_does_so_much_a_second)
{
    assert_true(keel_work_per_s(&(struct keel_work){.amount = 2, .rank_s = 0.5}) == 4);
    assert_true(keel_work_per_s(&(struct keel_work){.amount = 2}) == 0);
}

TEST(an_object_weighs_what_it_took)
{
    struct keel_work work = {.amount = 6, .busy_s = 4, .own_s = 3, .rank_s = 2};

    assert_true(keel_work_weight(&work, 0.25, 7) == 0.5);
    assert_true(keel_work_weight(&work, 0, 7) == 0);
    work.own_s = 0;
    assert_true(keel_work_weight(&work, 0.25, 7) == 7);
    work = (struct keel_work){.own_s = 3};
    assert_true(keel_work_weight(&work, 0.25, 7) == 7);
}

TEST(ranks_with_heavy_objects_are_not_slow)
{
    struct keel_work light = work_of(4, 10, 1), heavy = work_of(2, 20, 1);

    assert_true(relative(&heavy, &nothing_moved, &light, &nothing_moved) == 1);
    /* and an object of the one is not light on the other */
    double common_s = keel_common_s(&heavy, 1, 1);
    assert_true(is_near(common_s, 20, 1e-9));
    assert_true(is_near(keel_common_weight(&light, 1, common_s), 2, 1e-9));
}

TEST(a_slow_rank_shows_by_objects_that_moved)
{
    struct keel_work fast = work_of(10, 20, 1), slow = work_of(3, 60, 1);
    struct keel_speed fast_speed = {0};

    for (int i = 0; i < 10; i++) {
        keel_speed_note_own(&fast_speed, 20, 20);
    }
    for (int i = 0; i < 3; i++) { /* of the slow one, which expected what it takes there */
        keel_speed_note_moved(&fast_speed, 60, 20);
    }
    assert_true(is_near(relative(&slow, &nothing_moved, &fast, &fast_speed), 3, 0.05));
    assert_true(is_near(relative(&fast, &fast_speed, &slow, &nothing_moved), 1.0 / 3, 0.05));
}

/* Of logarithms: 1 and 3 of objects that moved, 2 of an own one. Squares about the mean of 2 are 2,
 * so variance is (0.25 + 4 + 2) / 3; half as much of all of it: (0.25 + 2 + 1) / 1.5. */
TEST(a_speed_by_hand)
{
    struct keel_speed speed = {0};

    keel_speed_note_moved(&speed, exp(1), 1);
    keel_speed_note_moved(&speed, 2 * exp(3), 2);
    keel_speed_note_own(&speed, exp(2), 1);
    assert_true(is_near(keel_speed_of(&speed), exp(4 / (2 + 6.25 / 3 / 0.5)), 1e-9));
    keel_speed_age(&speed, 0.5);
    assert_true(is_near(keel_speed_of(&speed), exp(2 / (1 + 3.25 / 1.5 / 0.5)), 1e-9));
}

TEST(stated_weights_compare_at_once)
{
    struct keel_work light = work_of(4, 10, 1), heavy = work_of(2, 20, 1);

    light.stated = light.amount;
    assert_true(relative(&light, &nothing_moved, &heavy, &nothing_moved) == 1);
    heavy.stated = heavy.amount;
    assert_true(is_near(relative(&light, &nothing_moved, &heavy, &nothing_moved), 0.5, 1e-9));
    keel_work_age(&light, 0.25);
    assert_true(light.stated == light.amount && light.amount == 1 && light.own_s == 10);
    keel_work_age(&light, 0.5); /* weights of less than 1 in all compare, too */
    assert_true(is_near(relative(&light, &nothing_moved, &heavy, &nothing_moved), 0.5, 1e-9));
}

TEST(what_overruns_is_expected_to_go_on)
{
    assert_true(keel_work_left_s(10, 4) == 6);
    assert_true(keel_work_left_s(10, 10) == 0);
    assert_true(keel_work_left_s(10, 24) == 14);
    assert_true(keel_work_left_s(0, 24) == 24); /* nothing was known of it */

    struct keel_work work = {.amount = 2, .busy_s = 7}; /* light ones */
    assert_true(keel_work_running_left_s(&work, 1, 3) == 0.5);
    assert_true(keel_work_running_left_s(&work, 1, 24) == 20.5);
    assert_true(keel_work_running_left_s(&work, 8, 24) == 4);
    assert_true(keel_work_running_left_s(&(struct keel_work){0}, 1, 24) == 24);
    assert_true(keel_work_expected_s(2, 1, 24) == 96);
}

TEST(others_are_expected_to_be_like_the_latest)
{
    struct keel_work work = work_of(5, 10, 1), short_ones = work_of(5, 0.01, 1);

    keel_work_smooth(&work, 1);
    assert_true(work.amount == 1 && work.busy_s == 10);
    keel_work_smooth(&short_ones, 1);
    assert_true(short_ones.amount == 5);

    struct keel_work after = keel_work_with(&work, 1, 9, 1); /* not longer than expected */
    assert_true(keel_work_per_s(&after) == 0.1);
    after = keel_work_with(&work, 1, 20, 1); /* is expected to take 30 */
    assert_true(is_near(keel_work_per_s(&after), 2.0 / 40, 1e-9));
    assert_true(is_near(keel_common_s(&after, 1, 1), 20, 1e-9));
    after = keel_work_with(&short_ones, 1, 0.5, 1);
    assert_true(after.amount == 5);
    after = keel_work_with(&(struct keel_work){0}, 1, 9, 1);
    assert_true(after.amount == 0);
}

TEST(an_object_is_overdue_once_it_takes_longer_than_expected)
{
    const struct keel_work work = {.amount = 4, .busy_s = 14, .own_s = 14, .rank_s = 14};

    assert_false(keel_work_is_overdue(&work, 2, 7));
    assert_true(keel_work_is_overdue(&work, 2, 7.5));
    assert_false(keel_work_is_overdue(&(struct keel_work){0}, 2, 7.5)); /* nothing is expected */
}

TEST(without_a_measure_common_seconds_are_the_measure)
{
    struct keel_work none = {0};

    assert_true(keel_common_s(&none, 1, 1) == 0);
    assert_true(keel_common_weight(&none, 2, 7) == 7);
    assert_true(keel_work_per_s(&none) == 0);
    assert_true(keel_speed_of(&nothing_moved) == 1);
}

/* What one rank tells another one of an object comes back as the same weight. */
TEST(common_seconds_keep_their_weight)
{
    struct draws draws = draws_begin();

    for (int i = 0; i < 1000; i++) {
        struct keel_work work = work_of(1 + draws_real(&draws) * 10, 0.01 + draws_real(&draws), 1);
        double speed = 0.1 + draws_real(&draws), weight = 0.1 + draws_real(&draws);
        double common_s = keel_common_s(&work, speed, weight);
        assert_true(is_near(keel_common_weight(&work, speed, common_s), weight, 1e-9));
    }
}

/* --- what of an object's time was another program's, by hand --- */

static bool is_about(double value, double expected)
{
    return value > expected - 1e-12 && value < expected + 1e-12;
}

/* An object of 1 ms, marked 0.1 ms before; another program had 4 ms of its 5 ms. */
static const struct keel_interruption_case interrupted = {
    .took_s = 0.005, .passed_s = 0.0051, .processor_s = 0.0011, .taken = 1};

TEST(time_of_another_program_is_not_the_objects)
{
    struct keel_interruption_case twice = interrupted;

    assert_true(is_about(keel_interruption_s(&interrupted), 0.004));
    twice.taken = 2;
    assert_true(is_about(keel_interruption_s(&twice), 0.004));
}

TEST(an_object_that_waits_takes_what_it_took)
{
    struct keel_interruption_case waits = interrupted;

    waits.given_up = 1;
    assert_true(is_about(keel_interruption_s(&waits), 0));
    waits.taken = 0;
    assert_true(is_about(keel_interruption_s(&waits), 0));
}

TEST(who_was_not_interrupted_has_taken_all_of_it)
{
    struct keel_interruption_case whole = interrupted;

    whole.taken = 0; /* the clocks differ by chance */
    assert_true(is_about(keel_interruption_s(&whole), 0));
}
