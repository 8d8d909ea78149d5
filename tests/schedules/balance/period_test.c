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
