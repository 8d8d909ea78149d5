/* Costs, stable times and decisions by hand; costs found again; loads that come and go. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "schedules/balance/profit.h"
#include "schedules/learn/learn.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

#define WORKERS 4

/* --- what movements cost --- */

TEST(one_kind_of_movement_scales)
{
    struct keel_profit_cost messages = {0}, bytes = {0}, both = {0};

    for (int i = 0; i < 3; i++) {
        keel_profit_cost_note(&messages, 2, 0, 0.5);
        keel_profit_cost_note(&bytes, 0, 100, 0.5);
        keel_profit_cost_note(&both, 1, 100, 0.5);
    }
    assert_true(is_within(keel_profit_cost_estimate(&messages, 6, 1e9), 1.5, 1e-12));
    assert_true(is_within(keel_profit_cost_estimate(&bytes, 1e9, 300), 1.5, 1e-12));
    /* which of both costs can't be told: half and half */
    assert_true(is_within(keel_profit_cost_estimate(&both, 1, 100), 0.5, 1e-3));
    assert_true(is_within(keel_profit_cost_estimate(&both, 2, 200), 1, 1e-3));
    assert_true(is_within(keel_profit_cost_estimate(&both, 1, 300), 1, 1e-3));
    assert_true(is_within(keel_profit_cost_estimate(&both, 3, 100), 1, 1e-3));
}

TEST(no_unit_costs_less_than_nothing)
{
    struct keel_profit_cost cost = {0};

    keel_profit_cost_note(&cost, 1, 100, 1); /* twice the bytes in half the time */
    keel_profit_cost_note(&cost, 1, 200, 0.5);
    assert_true(keel_profit_cost_estimate(&cost, 0, 1000) == 0);
    assert_true(keel_profit_cost_estimate(&cost, 1, 0) > 0.5);
    assert_true(keel_profit_cost_estimate(&cost, 1, 0) < 1);
    cost = (struct keel_profit_cost){0};
    keel_profit_cost_note(&cost, 1, 100, 1); /* twice the messages in half the time */
    keel_profit_cost_note(&cost, 2, 100, 0.5);
    assert_true(keel_profit_cost_estimate(&cost, 1000, 0) == 0);
    assert_true(keel_profit_cost_estimate(&cost, 0, 100) > 0.5);
    assert_true(keel_profit_cost_estimate(&cost, 0, 100) < 1);
}

/* Messages were timed alone, and movements take far longer: ranks have to agree, and items are
 * packed. That is learned in a few movements, not once the messages are forgotten. */
TEST(movements_that_take_far_more_are_believed_soon)
{
    struct keel_profit_cost cost = {0};

    keel_profit_cost_note(&cost, 1, 0, 1e-5);
    keel_profit_cost_note(&cost, 1, 1e5, 2e-4);
    for (int i = 0; i < 4; i++) {
        keel_profit_cost_note(&cost, 2, 5000, 0.008);
    }
    double estimate_s = keel_profit_cost_estimate(&cost, 2, 5000);
    print_message("# after four movements: %.4f of 0.008 s\n", estimate_s);
    assert_true(estimate_s >= 0.5 * 0.008);
    assert_true(estimate_s <= 1.1 * 0.008);
}

TEST(broken_movements_are_ignored)
{
    static const double broken[][3] = {
        {NAN, 1, 1}, {1, NAN, 1}, {1, 1, NAN}, {-1, 2, 1},       {2, -1, 1},       {1, 1, -1},
        {1, 1, 0},   {0, 0, 1},   {0, 0, 0},   {INFINITY, 1, 1}, {1, INFINITY, 1}, {1, 1, INFINITY},
    };
    struct keel_profit_cost cost = {0};

    keel_profit_cost_note(&cost, 1, 0, 1);
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        keel_profit_cost_note(&cost, broken[i][0], broken[i][1], broken[i][2]);
    }
    assert_true(cost.messages == 1 && cost.messages_squared == 1 && cost.bytes == 0);
    assert_true(keel_profit_cost_estimate(&cost, 2, 0) == 2);
    assert_true(keel_profit_cost_estimate(&cost, -2, NAN) == 0);
}

/* --- how long rates stay as they are --- */

static struct keel_profit_changes *changes_of(uint64_t workers, double now_s)
{
    struct keel_profit_changes *changes = malloc(keel_profit_changes_size(workers));

    assert_non_null(changes);
    keel_profit_changes_begin(changes, workers, now_s);
    return changes;
}

static bool note(struct keel_profit_changes *changes, double now_s, double a, double b)
{
    double rate[] = {a, b};

    return keel_profit_changes_note(changes, now_s, rate, KEEL_GAIN_THRESHOLD);
}

/* Shares 1:1 at rates 1:r < 1 take 1/(2r), the best 1/(1+r): gain (1-r)/(1+r). */
TEST(changes_by_hand)
{
    struct keel_profit_changes *changes = changes_of(2, 100);

    assert_false(note(changes, 101, 5, 5));
    assert_false(note(changes, 102, 5, 4.1)); /* 0.0989 */
    assert_false(note(changes, 103, 1, 0.82));
    assert_false(note(changes, 104, 0.82, 1));
    assert_true(keel_profit_changes_stable(changes, 110) == 10);
    assert_true(note(changes, 112, 5, 4.09)); /* 0.1001 */
    assert_true(keel_profit_changes_stable(changes, 112) == 12);
    assert_true(note(changes, 113, 5, 2)); /* it goes on */
    assert_int_equal(changes->changes, 1);
    assert_false(note(changes, 114, 5, 2));
    assert_true(keel_profit_changes_stable(changes, 115) == 14);
    assert_false(note(changes, 115, 10, 4)); /* all alike */
    assert_true(note(changes, 117, 5, 5));
    assert_int_equal(changes->changes, 2);
    assert_true(keel_profit_changes_stable(changes, 117) == 8);   /* 12 4 */
    assert_true(keel_profit_changes_stable(changes, 120) == 9.5); /* 12 4 and 3 */
    free(changes);
}

/* Rates that count in new units have not changed. */
TEST(new_units_are_no_change)
{
    const double rate[] = {2, 1}, before[] = {1, 1}, factor[] = {4, 0.5}, now[] = {8, 0.5};
    struct keel_profit_changes *changes = malloc(keel_profit_changes_size(2));

    keel_profit_changes_begin(changes, 2, 0);
    keel_profit_changes_note(changes, 1, before, 0.1);
    assert_true(keel_profit_changes_note(changes, 2, rate, 0.1));
    keel_profit_changes_scale(changes, factor);
    assert_false(keel_profit_changes_note(changes, 3, now, 0.1));
    free(changes);
}

TEST(unknown_rates_are_left_out)
{
    static const double unknown[] = {0, -1, NAN, INFINITY};
    struct keel_profit_changes *changes = changes_of(2, 0);

    for (int i = 0; i < 4; i++) {
        assert_false(note(changes, i, unknown[i], 7));
        assert_false(note(changes, i, unknown[i], unknown[i]));
    }
    assert_false(note(changes, 5, 1, 7)); /* the first of this worker */
    for (int i = 0; i < 4; i++) {
        assert_false(note(changes, 6, unknown[i], 1));
        assert_false(note(changes, 6, 1, unknown[i]));
    }
    assert_true(note(changes, 7, 1, 1));
    free(changes);
}

/* --- the decision --- */

/* On for 3 s, off for 7 s: what is left is what such rates had, then an eighth of how long they
 * have lasted, and as long as they have once that is twice the longest pause. */
TEST(pauses_of_the_present_kind_count)
{
    struct keel_profit_changes *changes = malloc(keel_profit_changes_size(2));
    double fast[] = {2, 2}, slow[] = {1, 2};

    keel_profit_changes_begin(changes, 2, 0);
    for (int second = 0; second <= 24; second++) {
        keel_profit_changes_note(changes, second, second % 10 < 7 ? fast : slow, 0.05);
        if (second == 5) {
            assert_true(keel_profit_changes_left(changes, second) == 5);
        }
        if (second == 8) { /* the only pause so far */
            assert_true(keel_profit_changes_left(changes, second) == 6);
        }
    }
    /* since 20: before that 3 s slow, 7 s fast, 3 s slow, 7 s fast */
    assert_true(keel_profit_changes_left(changes, 24) == 3);
    assert_true(keel_profit_changes_left(changes, 32) == 1.5);
    assert_true(keel_profit_changes_left(changes, 33.75) == 1.71875);
    assert_true(keel_profit_changes_left(changes, 34) == 14);
    assert_true(keel_profit_changes_left(changes, 36) == 16);
    free(changes);
}

/* As long since the beginning as is left: a third of the rest, and of 10 s log 2. */
TEST(before_a_change_a_third_of_the_rest_counts)
{
    struct keel_profit_changes *changes = changes_of(2, 0);

    assert_true(fabs(keel_profit_changes_lasting(changes, 0, 10, 10) - (10 + 10 * log(2)) / 3) <
                1e-9);
    free(changes);
}

TEST(decisions_by_hand)
{
    static const struct {
        double gain, stable_s, remaining_s, cost_s;
        double saving_s;
        bool pays;
    } rows[] = {
        {0.25, 20, INFINITY, 5, 5, true},
        {0.25, 20, INFINITY, 10, 5, true}, /* twice is not yet greatly */
        {0.25, 20, INFINITY, 10.1, 5, false},
        {0.25, 20, 8, 4, 2, true},
        {0.25, 20, 8, 4.1, 2, false},
        {0.25, 20, 0, 0.1, 0, false},
        {0, 20, INFINITY, 0.1, 0, false},
        {0, 20, INFINITY, 0, 0, true},
        {0.25, 0, INFINITY, 0, 0, true},
        {0, INFINITY, INFINITY, 1, 0, false},
        {0.1, INFINITY, INFINITY, 1e9, INFINITY, true},
        {NAN, 20, INFINITY, 1, 0, false},
        {0.25, NAN, INFINITY, 1, 0, false},
        {0.25, 20, NAN, 1, 0, false},
        {0.25, -20, INFINITY, 1, 0, false},
        {0.25, 20, INFINITY, NAN, 5, true},
        {0.25, 20, INFINITY, -3, 5, true},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_profit_decision decision =
            keel_profit_decide(rows[i].gain, rows[i].stable_s, rows[i].remaining_s, rows[i].cost_s,
                               KEEL_PROFIT_GREATLY);
        assert_true(decision.saving_s == rows[i].saving_s);
        assert_int_equal(decision.pays, rows[i].pays);
    }
}
