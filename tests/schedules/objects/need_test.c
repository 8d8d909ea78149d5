/* When a rank asks for objects: an answer is in time where others look at regular times, and no
 * rank asks long before. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedules/objects/looking.h"
#include "tests/support/draws.h"

static bool is_near(double value, double expected)
{
    return fabs(value - expected) <= 1e-9 * fabs(expected);
}

/* Moments drawn at random lie in long gaps more often. */
static void gaps_count_by_their_length(void **state)
{
    struct keel_looks looks = {0};

    (void)state;
    assert_true(keel_looks_gap_s(&looks) == 0);
    keel_looks_note(&looks, 1);
    keel_looks_note(&looks, 3);
    assert_true(is_near(keel_looks_gap_s(&looks), 10.0 / 4));
    keel_looks_note(&looks, -1);
    keel_looks_note(&looks, NAN);
    keel_looks_note(&looks, INFINITY);
    assert_true(is_near(keel_looks_gap_s(&looks), 10.0 / 4));
}

static void old_gaps_are_forgotten(void **state)
{
    struct keel_looks looks = {0};

    (void)state;
    keel_looks_note(&looks, 100);
    for (int i = 0; i < 20 * KEEL_LOOKS_MEMORY; i++) {
        keel_looks_note(&looks, 1);
    }
    assert_true(fabs(keel_looks_gap_s(&looks) - 1) < 0.01);
}

static void who_has_nothing_asks(void **state)
{
    (void)state;
    assert_true(keel_need_is_due(&(struct keel_need_case){.trips = 1}));
    assert_true(keel_need_is_due(&(struct keel_need_case){.gap_s = 1, .answer_s = 1, .trips = 1}));
}

/* Looks in mid-object: so much work is left that others are in no hurry. */
static void who_looks_often_asks_late(void **state)
{
    struct keel_need_case need = {.left_s = 10, .gap_s = 0.5, .answer_s = 0.25, .trips = 1};

    (void)state;
    assert_false(keel_need_is_due(&need));
    need.left_s = 0.9;
    assert_true(keel_need_is_due(&need));
    need.left_s = 1.1;
    assert_false(keel_need_is_due(&need));
    need.trips = 2;
    assert_true(keel_need_is_due(&need));
}

/* No looks in mid-object: the last chance to ask is before the last object begins. */
static void who_looks_between_objects_asks_before_the_last(void **state)
{
    struct keel_need_case need = {.left_s = 3, .gap_s = 1, .answer_s = 0.4, .trips = 1};

    (void)state;
    assert_false(keel_need_is_due(&need));
    need.left_s = 1;
    assert_true(keel_need_is_due(&need));
    need = (struct keel_need_case){.left_s = 3, .gap_s = 1, .trips = 1}; /* no answer yet */
    assert_true(keel_need_is_due(&need));
}

/* Ranks that look every gap_s, and others that answer at moments drawn within twice the mean: who
 * asks at the first look at which it is due is never idle, and has asked no more than a gap earlier
 * than it had to. */
static void answers_are_in_time(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int i = 0; i < 2000; i++) {
        double gap_s = 0.01 + draws_real(&draws), answer_s = 0.01 + draws_real(&draws);
        double left_s = 20 + draws_real(&draws);
        while (!keel_need_is_due(&(struct keel_need_case){left_s, gap_s, answer_s, 1})) {
            left_s -= gap_s;
        }
        assert_true(left_s >= 2 * answer_s * draws_real(&draws));
        assert_true(left_s <= 2 * answer_s + gap_s);
    }
}

/* Answers to a look and to a question have to come in a tenth of what the object takes. */
static void who_could_not_ask_before_waits_a_little(void **state)
{
    (void)state;
    assert_true(keel_need_patience_s(20, 0.5) == 2);
    assert_true(keel_need_patience_s(20, 1) == 2);
    assert_true(keel_need_patience_s(20, 1.1) == 0);
    assert_true(keel_need_patience_s(0, 0.1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_count_by_their_length),
        cmocka_unit_test(old_gaps_are_forgotten),
        cmocka_unit_test(who_has_nothing_asks),
        cmocka_unit_test(who_looks_often_asks_late),
        cmocka_unit_test(who_looks_between_objects_asks_before_the_last),
        cmocka_unit_test(answers_are_in_time),
        cmocka_unit_test(who_could_not_ask_before_waits_a_little),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
