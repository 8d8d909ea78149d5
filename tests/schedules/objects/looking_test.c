/* What a rank decides about objects: when it asks and looks, what it takes them to cost, and which
 * it gives. */
#include <math.h>

#include "schedules/balance/victim.h"
#include "schedules/objects/gift.h"
#include "schedules/objects/pace.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- when it asks and looks: when a rank asks for objects and looks for requests, and how many
 * ranks it looks at --- */

/* --- when a rank asks --- */

/* Moments drawn at random lie in long gaps more often. */
TEST(gaps_count_by_their_length)
{
    allow_exceptions();
    struct keel_looks looks = {0};

    assert_true(keel_looks_gap_s(&looks) == 0);
    keel_looks_note(&looks, 0.01);
    keel_looks_note(&looks, 0.03);
    assert_true(is_near(keel_looks_gap_s(&looks), 0.1 / 4));
    keel_looks_note(&looks, -1);
    keel_looks_note(&looks, NAN);
    keel_looks_note(&looks, INFINITY);
    assert_true(is_near(keel_looks_gap_s(&looks), 0.1 / 4));
}

TEST(old_gaps_are_forgotten)
{
    struct keel_looks looks = {0};

    keel_looks_note(&looks, 100);
    for (int i = 0; i < 20 * KEEL_LOOKS_MEMORY; i++) {
        keel_looks_note(&looks, 1);
    }
    assert_true(fabs(keel_looks_gap_s(&looks) - 1) < 0.01);
}

TEST(who_asks)
{
    static const struct {
        struct keel_need_case need; /* work left, gap between looks, time of an answer, trips */
        bool is_due;
    } cases[] = {
        /* who has nothing */
        {{0, 0, 0, 1}, true},
        {{0, 1, 1, 1}, true},
        /* looks in mid-object: so much work is left that others are in no hurry */
        {{10, 0.5, 0.25, 1}, false},
        {{0.9, 0.5, 0.25, 1}, true},
        {{1.1, 0.5, 0.25, 1}, false},
        {{1.1, 0.5, 0.25, 2}, true},
        /* none in mid-object: the last chance to ask is before the last object begins */
        {{3, 1, 0.4, 1}, false},
        {{1, 1, 0.4, 1}, true},
        {{3, 1, 0, 1}, true}, /* no answer yet */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(keel_need_is_due(&cases[i].need), cases[i].is_due);
    }
}

/* Answers to a look and to a question have to come in a tenth of what the object takes. */
TEST(who_could_not_ask_before_waits_a_little)
{
    assert_true(keel_need_patience_s(20, 0.5) == 2);
    assert_true(keel_need_patience_s(20, 1) == 2);
    assert_true(keel_need_patience_s(20, 1.1) == 0);
    assert_true(keel_need_patience_s(0, 0.1) == 0);
}

/* --- how present a waiting rank is --- */

/* Looks every us for on_s, then none for off_s. */
static void wait_beside_a_load(struct keel_presence *presence, double on_s, double off_s)
{
    for (double s = 0; s < on_s; s += 1e-6) {
        keel_presence_note(presence, 1e-6);
    }
    if (off_s > 0) {
        keel_presence_note(presence, off_s);
    }
}

/* A message comes in the 4 ms without a look with probability 1/2, and waits for 2 ms then. */
TEST(half_of_the_messages_wait_for_half_a_slice)
{
    struct keel_presence presence = {0};

    for (int turn = 0; turn < 5; turn++) {
        wait_beside_a_load(&presence, 4e-3, 4e-3);
    }
    assert_true(is_within(keel_presence_unseen_s(&presence), 1e-3, 0.01));
}

TEST(own_pauses_are_no_absence)
{
    struct keel_presence presence = {0};

    assert_true(keel_presence_unseen_s(&presence) == 0);
    for (int pause = 0; pause < 1000; pause++) {
        keel_presence_note(&presence, 260e-6);
    }
    assert_true(keel_presence_unseen_s(&presence) == 0);
}

TEST(what_was_long_ago_is_forgotten)
{
    struct keel_presence presence = {0};

    keel_presence_note(&presence, 0.09);
    double first_s = keel_presence_unseen_s(&presence);
    for (int turn = 0; turn < 10; turn++) {
        wait_beside_a_load(&presence, KEEL_PRESENCE_MEMORY_S, 0);
    }
    assert_true(keel_presence_unseen_s(&presence) < first_s / 100);
}

TEST(nonsense_is_not_counted)
{
    allow_exceptions();
    struct keel_presence presence = {0};

    keel_presence_note(&presence, -1);
    keel_presence_note(&presence, NAN);
    keel_presence_note(&presence, INFINITY);
    assert_true(presence.waited_s == 0 && keel_presence_unseen_s(&presence) == 0);
}

/* Who was away for a time slice looks longer than an answer takes, and is on its processor for a
 * small part of the slice. */
TEST(looks_on_after_a_time_slice)
{
    allow_exceptions();
    for (double away_s = 1e-3; away_s < 0.1; away_s *= 1.3) {
        assert_true(keel_presence_patience_s(away_s) >= 50e-6);
        assert_true(keel_presence_patience_s(away_s) <= away_s / 10);
        assert_true(keel_presence_patience_s(away_s) <= 250e-6);
    }
    assert_true(keel_presence_patience_s(0) == 0);
    assert_true(keel_presence_patience_s(-1) == 0);
    assert_true(keel_presence_patience_s(NAN) == 0);
}

/* --- how often a thread looks for requests: by formula R6 --- */

#define OTHERWISE_S 0.001

TEST(quanta)
{
    allow_exceptions();
    static const struct {
        double look_s, work_s;
        uint64_t requests;
        double wanted_s;
    } cases[] = {
        /* looks and waits lose alike: the square root of 2 times 10 us times 0.5 s */
        {10e-6, 0.5, 1, 0.0031622776601683794},
        /* looks cost 1 % at most, however many requests come and however short the work is */
        {100e-6, 1, 1000000, 0.01},
        {100e-6, 0.001, 1, 0.01},
        {100e-6, 0, 0, 0.01},
        /* the next request counts: the square root of 2 times 240 us times 60 s */
        {240e-6, 60, 0, 0.16970562748477141},
        {240e-6, 60, 1, 0.16970562748477141},
        /* nothing is known of looks, or of the work */
        {0, 60, 8, OTHERWISE_S},
        {-1, 60, 8, OTHERWISE_S},
        {NAN, 60, 8, OTHERWISE_S},
        {INFINITY, 60, 8, OTHERWISE_S},
        {1e-4, NAN, 8, 0.01},
        {1e-4, INFINITY, 8, 0.01},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct keel_quantum_case measured = {cases[i].look_s, cases[i].work_s,
                                                   cases[i].requests};
        assert_near(keel_quantum_s(&measured, OTHERWISE_S), cases[i].wanted_s);
    }
}

/* --- how many ranks are looked at at a time --- */

#define MOST 16
#define OTHERWISE 4

static uint32_t chosen(uint32_t others, double empty, double message_s, double wait_s)
{
    const struct keel_neighbourhood_case measured = {others, empty, message_s, wait_s};

    return keel_neighbourhood(&measured, MOST, OTHERWISE);
}

/* Of 63 others 16 have nothing: T(d) in units of message_s, with a wait of 8, is 76.5 for d = 1, 60
 * (of 12 and 5 rounds on average) for 4, (1 + 2) / 2 * 16 = 24 for 8, and 24 for 16. */
TEST(neighbourhood_is_the_formula)
{
    assert_int_equal(chosen(64, 0.25, 1e-6, 8e-6), 8);
    assert_int_equal(chosen(64, 0.25, 1e-6, 9e-6), 16);
    assert_int_equal(chosen(64, 0.25, 1e-6, 7e-6), 8);
}

TEST(nothing_known_of_messages)
{
    allow_exceptions();
    const double none[] = {0, -1, NAN, INFINITY};

    for (int i = 0; i < 4; i++) {
        assert_int_equal(chosen(500, 0.5, none[i], 1e-3), OTHERWISE);
        assert_int_equal(chosen(500, 0.5, 1e-6, none[i]), OTHERWISE);
        assert_int_equal(chosen(2, 0.5, none[i], 1e-3), 2);
        assert_int_equal(chosen(0, 0.5, none[i], 1e-3), 1);
    }
    assert_int_equal(chosen(0, 1, 1e-6, 1), 1);
    assert_int_equal(chosen(1, 1, 1e-6, 1), 1);
    assert_int_equal(chosen(500, NAN, 1e-6, 1), chosen(500, 0, 1e-6, 1));
    assert_int_equal(chosen(500, INFINITY, 1e-6, 1), chosen(500, 1, 1e-6, 1));
    assert_int_equal(chosen(UINT32_MAX, 1, 1e-6, 1), MOST);
}

/* Of a search that is on its way the next neighbourhood has that size. */
TEST(holds_from_the_next_one_on)
{
    struct keel_victim_search search;
    uint32_t looks[2] = {0, 0};

    keel_victim_begin(&search, KEEL_VICTIM_DIFFUSE, 9, 0, NULL, 2, 1);
    for (int i = 0; i < 2; i++) {
        struct keel_victim_step step = keel_victim_next(&search);
        keel_victim_set_neighbours(&search, 5);
        uint32_t asked[8];
        for (; step.action == KEEL_VICTIM_LOOK; step = keel_victim_next(&search)) {
            asked[looks[i]++] = step.worker;
        }
        for (uint32_t k = 0; k < looks[i]; k++) {
            keel_victim_answered(&search, asked[k], 0, 0, false);
        }
    }
    assert_int_equal(looks[0], 2);
    assert_int_equal(looks[1], 5);
}

/* --- what objects cost: heavy objects and slow machines are distinguished by what moved objects
 * take; and what of the time of an object was another program's --- */

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
    assert_true(is_within(common_s, 20, 1e-9));
    assert_true(is_within(keel_common_weight(&light, 1, common_s), 2, 1e-9));
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
    assert_true(is_within(relative(&slow, &nothing_moved, &fast, &fast_speed), 3, 0.05));
    assert_true(is_within(relative(&fast, &fast_speed, &slow, &nothing_moved), 1.0 / 3, 0.05));
}

/* Of logarithms: 1 and 3 of objects that moved, 2 of an own one. Squares about the mean of 2 are 2,
 * so variance is (0.25 + 4 + 2) / 3; half as much of all of it: (0.25 + 2 + 1) / 1.5. */
TEST(a_speed_by_hand)
{
    struct keel_speed speed = {0};

    keel_speed_note_moved(&speed, exp(1), 1);
    keel_speed_note_moved(&speed, 2 * exp(3), 2);
    keel_speed_note_own(&speed, exp(2), 1);
    assert_true(is_within(keel_speed_of(&speed), exp(4 / (2 + 6.25 / 3 / 0.5)), 1e-9));
    keel_speed_age(&speed, 0.5);
    assert_true(is_within(keel_speed_of(&speed), exp(2 / (1 + 3.25 / 1.5 / 0.5)), 1e-9));
}

/* As where objects stay from some phase on. */
TEST(what_is_old_fades_in_any_number_of_phases)
{
    struct keel_speed speed = {0};
    struct keel_work work = work_of(4, 10, 1);

    keel_speed_note_moved(&speed, 2, 1);
    keel_speed_note_own(&speed, 2, 1);
    for (int i = 0; i < 10000; i++) {
        keel_speed_age(&speed, 0.5);
        keel_work_age(&work, 0.5);
        assert_true(keel_speed_of(&speed) > 0);
    }
    assert_true(keel_speed_of(&speed) == 1);
    assert_true(keel_work_per_s(&work) == 0);
}

TEST(stated_weights_compare_at_once)
{
    struct keel_work light = work_of(4, 10, 1), heavy = work_of(2, 20, 1);

    light.stated = light.amount;
    assert_true(relative(&light, &nothing_moved, &heavy, &nothing_moved) == 1);
    heavy.stated = heavy.amount;
    assert_true(is_within(relative(&light, &nothing_moved, &heavy, &nothing_moved), 0.5, 1e-9));
    keel_work_age(&light, 0.25);
    assert_true(light.stated == light.amount && light.amount == 1 && light.own_s == 10);
    keel_work_age(&light, 0.5); /* weights of less than 1 in all compare, too */
    assert_true(is_within(relative(&light, &nothing_moved, &heavy, &nothing_moved), 0.5, 1e-9));
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
    assert_true(is_within(keel_work_per_s(&after), 2.0 / 40, 1e-9));
    assert_true(is_within(keel_common_s(&after, 1, 1), 20, 1e-9));
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

/* What one rank sends to another one of an object comes back as the same weight. */
TEST(common_seconds_keep_their_weight)
{
    struct draws draws = draws_begin();

    for (int i = 0; i < 1000; i++) {
        struct keel_work work = work_of(1 + draws_real(&draws) * 10, 0.01 + draws_real(&draws), 1);
        double speed = 0.1 + draws_real(&draws), weight = 0.1 + draws_real(&draws);
        double common_s = keel_common_s(&work, speed, weight);
        assert_true(is_within(keel_common_weight(&work, speed, common_s), weight, 1e-9));
    }
}

/* --- what of an object's time was another program's, by hand --- */

static bool is_about(double value, double expected)
{
    return value > expected - 1e-12 && value < expected + 1e-12;
}

/* An object of 1 ms, marked 0.1 ms before; another program had 4 ms of its 5 ms. */
TEST(time_of_another_program_is_not_the_objects)
{
    static const struct {
        unsigned taken, given_up;
        double wanted_s;
    } cases[] = {
        {1, 0, 0.004}, {2, 0, 0.004}, {1, 1, 0}, /* an object that waits takes what it took */
        {0, 1, 0},     {0, 0, 0},                /* no rank there: the clocks differ by chance */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct keel_interruption_case interrupted = {.took_s = 0.005,
                                                     .passed_s = 0.0051,
                                                     .processor_s = 0.0011,
                                                     .taken = cases[i].taken,
                                                     .given_up = cases[i].given_up};
        assert_true(is_about(keel_interruption_s(&interrupted), cases[i].wanted_s));
    }
}

/* --- which are given: which objects are given: both end earlier for it, and together where
 * objects allow; by hand --- */

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
