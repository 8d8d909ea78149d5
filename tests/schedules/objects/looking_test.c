/* When a rank asks for objects and looks for requests, and how many ranks it looks at. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/victim.h"
#include "schedules/objects/gift.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

/* --- when a rank asks --- */

/* Moments drawn at random lie in long gaps more often. */
TEST(gaps_count_by_their_length)
{
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

TEST(who_has_nothing_asks)
{
    assert_true(keel_need_is_due(&(struct keel_need_case){.trips = 1}));
    assert_true(keel_need_is_due(&(struct keel_need_case){.gap_s = 1, .answer_s = 1, .trips = 1}));
}

/* Looks in mid-object: so much work is left that others are in no hurry. */
TEST(who_looks_often_asks_late)
{
    struct keel_need_case need = {.left_s = 10, .gap_s = 0.5, .answer_s = 0.25, .trips = 1};

    assert_false(keel_need_is_due(&need));
    need.left_s = 0.9;
    assert_true(keel_need_is_due(&need));
    need.left_s = 1.1;
    assert_false(keel_need_is_due(&need));
    need.trips = 2;
    assert_true(keel_need_is_due(&need));
}

/* No looks in mid-object: the last chance to ask is before the last object begins. */
TEST(who_looks_between_objects_asks_before_the_last)
{
    struct keel_need_case need = {.left_s = 3, .gap_s = 1, .answer_s = 0.4, .trips = 1};

    assert_false(keel_need_is_due(&need));
    need.left_s = 1;
    assert_true(keel_need_is_due(&need));
    need = (struct keel_need_case){.left_s = 3, .gap_s = 1, .trips = 1}; /* no answer yet */
    assert_true(keel_need_is_due(&need));
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
    struct keel_presence presence = {0};

    keel_presence_note(&presence, -1);
    keel_presence_note(&presence, NAN);
    keel_presence_note(&presence, INFINITY);
    assert_true(presence.watched_s == 0 && keel_presence_unseen_s(&presence) == 0);
}

/* Who was away for a time slice looks longer than an answer takes, and is on its processor for a
 * small part of the slice. */
TEST(looks_on_after_a_time_slice)
{
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

static double quantum_s(double look_s, double work_s, uint64_t requests)
{
    const struct keel_quantum_case measured = {look_s, work_s, requests};

    return keel_quantum_s(&measured, OTHERWISE_S);
}

/* The square root of 2 times 10 us times 0.5 s. */
TEST(looks_and_waits_lose_alike)
{
    assert_near(quantum_s(10e-6, 0.5, 1), sqrt(1e-5));
}

/* Looks cost 1 % at most, however many requests come and however short the work is. */
TEST(costs_little)
{
    assert_near(quantum_s(100e-6, 1, 1000000), 0.01);
    assert_near(quantum_s(100e-6, 0.001, 1), 0.01);
    assert_near(quantum_s(100e-6, 0, 0), 0.01);
}

TEST(the_next_request_counts)
{
    assert_near(quantum_s(240e-6, 60, 0), quantum_s(240e-6, 60, 1));
}

TEST(nothing_known_of_looks)
{
    assert_near(quantum_s(0, 60, 8), OTHERWISE_S);
    assert_near(quantum_s(-1, 60, 8), OTHERWISE_S);
    assert_near(quantum_s(NAN, 60, 8), OTHERWISE_S);
    assert_near(quantum_s(INFINITY, 60, 8), OTHERWISE_S);
    assert_near(quantum_s(1e-4, NAN, 8), 0.01);
    assert_near(quantum_s(1e-4, INFINITY, 8), 0.01);
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
