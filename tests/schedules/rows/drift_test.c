/* Work that comes and goes: what shares that stay lose. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/period.h"
#include "schedules/rows/drift.h"
#include "tests/support/unit.h"

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
