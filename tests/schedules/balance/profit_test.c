/* When balancing pays, and how often it is looked at. */
#include <math.h>
#include <stdlib.h>

#include "schedules/balance/period.h"
#include "schedules/balance/profit.h"
#include "schedules/learn/learn.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- costs and decisions: costs, stable times and decisions by hand; costs found again; loads
 * that come and go --- */

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
    /* which of both costs is unknown: half and half */
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
    allow_exceptions();
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

TEST(unknown_rates_are_left_out)
{
    allow_exceptions();
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
    allow_exceptions();
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

/* --- the balancing period: the paper's numbers, limits by hand, and inputs that are none
 * --- */

static uint64_t plan_of(const struct keel_period *period, double interact_s, double quantum_s,
                        double compute_s)
{
    return keel_period_plan(period, &(struct keel_period_times){interact_s, quantum_s, compute_s});
}

/* Quanta of 100 ms give the paper's period of 1 s. Broken times set no limit. */
TEST(each_limit_can_be_the_largest)
{
    allow_exceptions();
    static const struct {
        double interact_s, movement_s, quantum_s, compute_s;
        uint64_t calls;
    } rows[] = {
        {0.01, 0, 0.1, 0.03, 34}, /* 33.3 */
        {0.5, 0, 0.1, 0.25, 40},
        {0.01, 3, 0.1, 0.25, 12},
        {0.01, 0.5, 0.1, 0.25, 4},
        {0.01, 0.5, 0.1, 5, 1},
        {0, 0, 0, 0.25, 1},
        {-1, -1, -1, 0.5, 1},
        {NAN, NAN, NAN, 0.5, 1},
        {-INFINITY, INFINITY, 0.1, 0.25, 4},
        {0, 0, 0.1, 0, 1000000000},
        {0, 0, 0.1, 1e-300, 1000000000},
        {0, 0, 0.1, INFINITY, 1},
        {0, 0, 0.1, NAN, 1},
        {0, 0, 0.1, -1, 1},
        {INFINITY, 0, 0.1, 1, UINT64_MAX},
        {INFINITY, 0, 0.1, INFINITY, 1},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_period period = {0};
        keel_period_note(&period, rows[i].movement_s);
        assert_int_equal(plan_of(&period, rows[i].interact_s, rows[i].quantum_s, rows[i].compute_s),
                         rows[i].calls);
    }
}

/* Movements at interactions 3, 4, 6, 10 and 20, which take 1, 2, 3, 4, 5 s. */
TEST(last_few_movements_count)
{
    static const double movement_s[] = {0, 0, 1, 2, 0, 3, 0, 0, 0, 4};
    struct keel_period period = {0};

    assert_int_equal(plan_of(&period, 0, 0, 0.01), 1);
    for (size_t i = 0; i < sizeof(movement_s) / sizeof(movement_s[0]); i++) {
        keel_period_note(&period, movement_s[i]);
    }
    assert_int_equal(plan_of(&period, 0, 0, 0.01), 100); /* 2.5 s, 3 1 2 4 interactions apart */
    for (int i = 1; i < 10; i++) {
        keel_period_note(&period, 0);
    }
    assert_int_equal(plan_of(&period, 0, 0, 0.01), 28); /* the present pause is 9 */
    keel_period_note(&period, 5);
    assert_int_equal(plan_of(&period, 0, 0, 0.01), 83); /* 2 3 4 5, 1 2 4 10 */
}

/* Phases of 0.1 s, an exchange of 1 ms. */
TEST(exchanges_are_hidden_where_they_cost_more_than_being_late)
{
    struct keel_period_exchange exchange = {.interact_s = 1e-3, .phase_s = 0.1, .stable_s = 1};

    assert_true(fabs(keel_period_of_exchanges(&exchange) - sqrt(4e-3)) < 1e-9);
    assert_false(keel_period_exchange_hides(&exchange));
    exchange.interact_s = 0.02;
    assert_true(keel_period_exchange_hides(&exchange));
    exchange.stable_s = 0.2; /* a phase late costs more */
    assert_false(keel_period_exchange_hides(&exchange));
}

/* Nothing is known of changes. */
TEST(before_rates_are_known_only_long_exchanges_are_hidden)
{
    struct keel_period_exchange exchange = {.interact_s = 1e-3, .phase_s = 1};

    assert_false(keel_period_exchange_hides(&exchange));
    exchange.interact_s = 0.02;
    assert_true(keel_period_exchange_hides(&exchange));
    assert_true(keel_period_of_exchanges(&exchange) == 0);
}

/* --- work that comes and goes: what shares that stay lose --- */

static double per_s_of(double lost, double span_s)
{
    struct keel_drift drift = {0};

    keel_drift_note(&drift, lost, span_s);
    return keel_drift_per_s(&drift);
}

TEST(what_the_last_worker_needs_more_is_lost)
{
    static const double rate[] = {1, 2}, even[] = {10, 20}, moved[] = {15, 15}, none[] = {0, 0};

    assert_true(fabs(keel_drift_lost(2, moved, even, rate) - 1 / 3.0) < 1e-12); /* 15 s, not 10 */
    assert_true(fabs(keel_drift_lost(2, even, moved, rate) + 0.5) < 1e-12);
    assert_true(keel_drift_lost(2, even, even, rate) == 0);
    assert_true(keel_drift_lost(2, even, none, rate) == 0);
    assert_true(keel_drift_lost(2, none, even, rate) == 0);
}

/* As where rows are weighed once, and lie well. */
TEST(drift_fades_in_any_number_of_decisions)
{
    struct keel_drift drift = {0};

    keel_drift_note(&drift, 0.3, 1);
    for (int i = 0; i < 10000; i++) {
        keel_drift_note(&drift, 0, 1);
    }
    assert_true(keel_drift_per_s(&drift) == 0);
}

TEST(drift_is_what_is_lost_in_a_second)
{
    allow_exceptions();
    struct keel_drift drift = {0};

    assert_true(keel_drift_per_s(&drift) == 0);
    assert_true(fabs(per_s_of(0.1, 2) - 0.05) < 1e-12);
    assert_true(per_s_of(-0.1, 2) == 0);
    assert_true(per_s_of(0.1, 0) == 0);
    assert_true(per_s_of(0.1, NAN) == 0);
    assert_true(per_s_of(0.1, INFINITY) == 0);
    for (int i = 0; i < 100; i++) {
        keel_drift_note(&drift, 0.3, 1);
    }
    for (int i = 0; i < 100; i++) {
        keel_drift_note(&drift, 0.1, 2); /* what was long ago counts no more */
    }
    assert_true(fabs(keel_drift_per_s(&drift) - 0.05) < 1e-9);
}

/* A delay of d s costs d / 2 stable_s where rates change, and drift d where work does. */
TEST(being_late_costs_by_changes_and_by_drift)
{
    double stable_s = keel_period_stable_beside(10, 0.05);

    assert_true(keel_period_stable_beside(10, 0) == 10);
    assert_true(keel_period_stable_beside(0, 0) == 0);
    assert_true(fabs(keel_period_stable_beside(0, 0.05) - 10) < 1e-12);
    assert_true(fabs(0.5 / stable_s - (0.5 / 10 + 0.05)) < 1e-12);
}

/* Particles that cost 5 % of the time in each phase of 1.6 s: an exchange of 20 ms is not worth
 * being a phase late. Where nothing drifts, it is. */
TEST(exchanges_are_not_hidden_where_work_drifts)
{
    struct keel_period_exchange exchange = {.interact_s = 0.02, .phase_s = 1.6, .stable_s = 300};

    assert_true(keel_period_exchange_hides(&exchange));
    exchange.stable_s = keel_period_stable_beside(300, 0.05 / 1.6);
    assert_false(keel_period_exchange_hides(&exchange));
    assert_int_equal(keel_period_calls(keel_period_of_exchanges(&exchange), 1.6), 1);
}
