/* The balancing period: the paper's numbers, limits by hand, and inputs that are none. */
#include <math.h>
#include <stddef.h>

#include "schedules/balance/period.h"
#include "tests/support/unit.h"

static uint64_t plan_of(const struct keel_period *period, double interact_s, double quantum_s,
                        double compute_s)
{
    return keel_period_plan(period, &(struct keel_period_times){interact_s, quantum_s, compute_s});
}

/* Quanta of 100 ms give the paper's period of 1 s. Broken times set no limit. */
TEST(each_limit_can_be_the_largest)
{
    static const struct {
        double interact_s, movement_s, quantum_s, compute_s;
        uint64_t hooks;
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
                         rows[i].hooks);
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

/* 32 workers that do not meet by themselves, phases of 1 s, of which each meeting loses 0.1 s, and
 * an exchange that takes next to nothing. */
static struct keel_period_exchange apart_for(double stable_s)
{
    return (struct keel_period_exchange){
        .interact_s = 1e-6, .meeting_s = 0.1, .phase_s = 1, .stable_s = stable_s, .workers = 32};
}

TEST(meeting_makes_comparing_rarer)
{
    struct keel_period_exchange exchange = apart_for(40);
    struct keel_period_exchange together = exchange;

    together.meeting_s = 0;
    assert_false(keel_period_exchange_hides(&exchange));
    assert_true(fabs(keel_period_of_exchanges(&exchange) - sqrt(4 * 0.05 * 40)) < 1e-3);
    assert_true(keel_period_of_exchanges(&together) < 0.1);
}

/* Phases of 0.1 s, an exchange of 1 ms, and 15 ms of messages that wait for it. */
TEST(messages_that_would_wait_are_not_kept_waiting)
{
    struct keel_period_exchange exchange = {
        .interact_s = 1e-3, .overlap_s = 0.015, .phase_s = 0.1, .stable_s = 1, .workers = 4};

    assert_true(keel_period_exchange_hides(&exchange));
    assert_int_equal(keel_period_hidden_hooks(&exchange), 1);
    assert_true(fabs(keel_period_of_exchanges(&exchange) - sqrt(4e-3)) < 1e-9);
    exchange.stable_s = 0.2; /* a phase late costs more */
    assert_false(keel_period_exchange_hides(&exchange));
    assert_true(fabs(keel_period_of_exchanges(&exchange) - sqrt(4 * 0.016 * 0.2)) < 1e-9);
    exchange.stable_s = 1, exchange.overlap_s = 0;
    assert_false(keel_period_exchange_hides(&exchange));
}

/* Nothing is known of changes: meeting is taken in. */
TEST(before_rates_are_known_only_long_exchanges_are_hidden)
{
    struct keel_period_exchange exchange = apart_for(0);

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

TEST(drift_is_what_is_lost_in_a_second)
{
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
    struct keel_period_exchange exchange = {
        .interact_s = 0.02, .phase_s = 1.6, .stable_s = 300, .workers = 16};

    assert_true(keel_period_exchange_hides(&exchange));
    exchange.stable_s = keel_period_stable_beside(300, 0.05 / 1.6);
    assert_false(keel_period_exchange_hides(&exchange));
    assert_int_equal(keel_period_hooks(keel_period_of_exchanges(&exchange), 1.6), 1);
}
