/* How present a waiting rank is: worked out by hand, and beside what messages at drawn times see.
 * */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedules/objects/looking.h"
#include "tests/support/draws.h"

static bool is_near(double value, double expected, double part)
{
    return fabs(value - expected) <= part * fabs(expected);
}

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
static void half_of_the_messages_wait_for_half_a_slice(void **state)
{
    struct keel_presence presence = {0};

    (void)state;
    for (int turn = 0; turn < 5; turn++) {
        wait_beside_a_load(&presence, 4e-3, 4e-3);
    }
    assert_true(is_near(keel_presence_unseen_s(&presence), 1e-3, 0.01));
}

static void own_pauses_are_no_absence(void **state)
{
    struct keel_presence presence = {0};

    (void)state;
    assert_true(keel_presence_unseen_s(&presence) == 0);
    for (int pause = 0; pause < 1000; pause++) {
        keel_presence_note(&presence, 260e-6);
    }
    assert_true(keel_presence_unseen_s(&presence) == 0);
}

static void what_was_long_ago_is_forgotten(void **state)
{
    struct keel_presence presence = {0};

    (void)state;
    keel_presence_note(&presence, 0.09);
    double first_s = keel_presence_unseen_s(&presence);
    for (int turn = 0; turn < 10; turn++) {
        wait_beside_a_load(&presence, KEEL_PRESENCE_MEMORY_S, 0);
    }
    assert_true(keel_presence_unseen_s(&presence) < first_s / 100);
}

/* Gaps of any length, and messages at any time: what these wait, on average. */
static void is_what_messages_see(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int drawn = 0; drawn < 20; drawn++) {
        struct keel_presence presence = {0};
        double sum_s = 0, waited_s = 0, most_s = 1e-3 * (1 + (double)(draws_next(&draws) % 8));
        while (sum_s + most_s < KEEL_PRESENCE_MEMORY_S) {
            double gap_s = draws_next(&draws) % 2 == 0
                               ? 1e-5
                               : KEEL_PRESENCE_GAP_S + (double)(draws_next(&draws) % 1000) / 1000 *
                                                           (most_s - KEEL_PRESENCE_GAP_S);
            keel_presence_note(&presence, gap_s);
            sum_s += gap_s;
            for (double s = 0; gap_s > 1e-4 && s < gap_s; s += 1e-6) {
                waited_s += (gap_s - s) * 1e-6;
            }
        }
        assert_true(is_near(keel_presence_unseen_s(&presence), waited_s / sum_s, 0.02));
    }
}

static void nonsense_is_not_counted(void **state)
{
    struct keel_presence presence = {0};

    (void)state;
    keel_presence_note(&presence, -1);
    keel_presence_note(&presence, NAN);
    keel_presence_note(&presence, INFINITY);
    assert_true(presence.watched_s == 0 && keel_presence_unseen_s(&presence) == 0);
}

/* Who was away for a time slice looks longer than an answer takes, and is on its processor for a
 * small part of the slice. */
static void looks_on_after_a_time_slice(void **state)
{
    (void)state;
    for (double away_s = 1e-3; away_s < 0.1; away_s *= 1.3) {
        assert_true(keel_presence_patience_s(away_s) >= 50e-6);
        assert_true(keel_presence_patience_s(away_s) <= away_s / 10);
        assert_true(keel_presence_patience_s(away_s) <= 250e-6);
    }
    assert_true(keel_presence_patience_s(0) == 0);
    assert_true(keel_presence_patience_s(-1) == 0);
    assert_true(keel_presence_patience_s(NAN) == 0);
}

/* Ranks on one processor that all wait, each in its turn: they do not keep each other. */
static void ranks_that_only_wait_pass_the_processor_on(void **state)
{
    double turn_s[KEEL_PRESENCE_PART];
    unsigned ranks = KEEL_PRESENCE_PART;

    (void)state;
    for (unsigned rank = 0; rank < ranks; rank++) {
        turn_s[rank] = 4e-3; /* one of them has computed */
    }
    for (int round = 0; round < 300; round++) {
        for (unsigned rank = 0; rank < ranks; rank++) {
            double away_s = 0;
            for (unsigned other = 0; other < ranks; other++) {
                away_s += other != rank ? turn_s[other] : 0;
            }
            turn_s[rank] = keel_presence_patience_s(away_s);
        }
    }
    assert_true(turn_s[0] < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_the_messages_wait_for_half_a_slice),
        cmocka_unit_test(own_pauses_are_no_absence),
        cmocka_unit_test(what_was_long_ago_is_forgotten),
        cmocka_unit_test(is_what_messages_see),
        cmocka_unit_test(nonsense_is_not_counted),
        cmocka_unit_test(looks_on_after_a_time_slice),
        cmocka_unit_test(ranks_that_only_wait_pass_the_processor_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
