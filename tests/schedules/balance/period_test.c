/* The balancing period: the paper's numbers, limits by hand, and inputs that are none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "schedules/balance/period.h"
#include "tests/support/draws.h"

static struct keel_period_plan plan_of(const struct keel_period *period, double interact_s,
                                       double hook_s, double quantum_s, double compute_s)
{
    struct keel_period_times times = {interact_s, hook_s, quantum_s, compute_s};

    return keel_period_plan(period, &keel_period_standard, &times);
}

/* Quanta of 100 ms give the paper's period of 1 s. */
static void scheduling_sets_the_papers_period(void **state)
{
    struct keel_period period = {0};
    struct keel_period_plan plan = plan_of(&period, 0.01, 1e-7, 0.1, 0.03);

    (void)state;
    assert_true(plan.target_s == 1);
    assert_true(fabs(plan.interact_s - 0.2) < 1e-15);
    assert_true(plan.movement_s == 0);
    assert_int_equal(plan.nexthook, 34); /* 33.3 */
    assert_int_equal(plan.stride, 1);
}

static void each_limit_can_be_the_largest(void **state)
{
    static const struct {
        double interact_s, movement_s, hook_s, quantum_s, compute_s;
        double target_s;
        uint64_t nexthook, stride;
    } rows[] = {
        {0.5, 0, 0, 0.1, 0.25, 10, 40, 1},
        {0.01, 3, 0, 0.1, 0.25, 3, 12, 1},
        {0.01, 0.5, 0, 0.1, 0.25, 1, 4, 1},
        {0.01, 0.5, 0.02, 0.1, 0.25, 2, 8, 8},
        {0.01, 0.5, 0.0051, 0.1, 0.25, 1, 4, 3},
        {0.01, 0.5, 0, 0.1, 5, 1, 1, 1},
        {0, 0, 0, 0, 0.25, 0, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_period period = {0};
        keel_period_note(&period, rows[i].movement_s);
        struct keel_period_plan plan = plan_of(&period, rows[i].interact_s, rows[i].hook_s,
                                               rows[i].quantum_s, rows[i].compute_s);
        assert_true(fabs(plan.target_s - rows[i].target_s) < 1e-12);
        assert_int_equal(plan.nexthook, rows[i].nexthook);
        assert_int_equal(plan.stride, rows[i].stride);
    }
}

static void parameters_scale_their_limits(void **state)
{
    struct keel_period period = {0};
    struct keel_period_parameters parameters = {
        .interact_fraction = 0.5, .hook_fraction = 0.25, .quantumscale = 5, .workscale = 4};
    struct keel_period_times times = {1, 2, 3, 4};

    (void)state;
    keel_period_note(&period, 10);
    struct keel_period_plan plan = keel_period_plan(&period, &parameters, &times);
    assert_true(plan.interact_s == 2);
    assert_true(plan.hook_s == 8);
    assert_true(plan.scheduling_s == 15);
    assert_true(plan.movement_s == 2.5);
    assert_int_equal(plan.nexthook, 4);
    assert_int_equal(plan.stride, 2);
}

/* Movements at interactions 3, 4, 6, 10 and 20, which take 1, 2, 3, 4, 5 s. */
static void last_few_movements_count(void **state)
{
    static const double movement_s[] = {0, 0, 1, 2, 0, 3, 0, 0, 0, 4};
    struct keel_period period = {0};

    (void)state;
    assert_true(keel_period_movement(&period) == 0);
    assert_true(keel_period_workscale(&period) == 1);
    for (size_t i = 0; i < sizeof(movement_s) / sizeof(movement_s[0]); i++) {
        keel_period_note(&period, movement_s[i]);
    }
    assert_true(keel_period_movement(&period) == 2.5);
    assert_true(keel_period_workscale(&period) == 2.5); /* 3 1 2 4 */
    assert_true(plan_of(&period, 0, 0, 0, 1).movement_s == 1);
    for (int i = 1; i < 10; i++) {
        keel_period_note(&period, 0);
    }
    assert_true(keel_period_workscale(&period) == 9); /* the present pause */
    keel_period_note(&period, 5);
    assert_true(keel_period_movement(&period) == 3.5);   /* 2 3 4 5 */
    assert_true(keel_period_workscale(&period) == 4.25); /* 1 2 4 10 */
}

/* The period grows while costly movements come at every interaction, and shrinks after. */
static void period_recovers_from_a_burst_of_movements(void **state)
{
    struct keel_period period = {0};

    (void)state;
    for (int i = 0; i < 50; i++) {
        keel_period_note(&period, 8);
    }
    assert_int_equal(plan_of(&period, 0, 0, 0.1, 1).nexthook, 8);
    for (int i = 0; i < 4; i++) {
        keel_period_note(&period, 0);
    }
    assert_int_equal(plan_of(&period, 0, 0, 0.1, 1).nexthook, 2);
    for (int i = 0; i < 4; i++) {
        keel_period_note(&period, 0);
    }
    assert_int_equal(plan_of(&period, 0, 0, 0.1, 1).nexthook, 1);
}

static void broken_times_set_no_limit(void **state)
{
    static const double broken[] = {0, -1, NAN, -INFINITY};
    struct keel_period period = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        keel_period_note(&period, broken[i]);
        struct keel_period_plan plan = plan_of(&period, broken[i], broken[i], broken[i], 0.5);
        assert_true(plan.target_s == 0);
        assert_int_equal(plan.nexthook, 1);
        plan = plan_of(&period, broken[i], 0, 0.1, 0.25);
        assert_int_equal(plan.nexthook, 4);

        struct keel_period_parameters parameters = {broken[i], broken[i], broken[i], broken[i],
                                                    broken[i]};
        struct keel_period_times times = {1, 1, 1, 1};
        plan = keel_period_plan(&period, &parameters, &times);
        assert_true(plan.target_s == 0);
        assert_int_equal(plan.nexthook, 1);
    }
    keel_period_note(&period, INFINITY);
    assert_int_equal(period.movements, 0);
    assert_int_equal(period.interactions, 5);
}

static void extreme_phases_give_extreme_hooks(void **state)
{
    struct keel_period period = {0};

    (void)state;
    assert_int_equal(plan_of(&period, 0, 0, 0.1, 0).nexthook, 1000000000);
    assert_int_equal(plan_of(&period, 0, 0, 0.1, 1e-300).nexthook, 1000000000);
    assert_int_equal(plan_of(&period, 0, 0, 0.1, INFINITY).nexthook, 1);
    assert_int_equal(plan_of(&period, 0, 0, 0.1, NAN).nexthook, 1);
    assert_int_equal(plan_of(&period, 0, 0, 0.1, -1).nexthook, 1);
    assert_int_equal(plan_of(&period, INFINITY, 0, 0.1, 1).nexthook, UINT64_MAX);
    assert_int_equal(plan_of(&period, INFINITY, 0, 0.1, INFINITY).nexthook, 1);
    assert_int_equal(plan_of(&period, 0, INFINITY, 0.1, 1).stride, UINT64_MAX);
}

static double draw_time(struct draws *draws)
{
    return exp((double)draws_below(draws, 40) - 20);
}

/* No limit is undercut, and none is exceeded by more than a phase. */
static void any_plan_keeps_its_limits(void **state)
{
    struct draws draws = draws_begin();
    struct keel_period period = {0};

    (void)state;
    for (int i = 0; i < 20000; i++) {
        keel_period_note(&period, draws_below(&draws, 3) == 0 ? draw_time(&draws) : 0);
        double interact_s = draw_time(&draws), hook_s = draw_time(&draws);
        double quantum_s = draw_time(&draws), compute_s = draw_time(&draws);
        struct keel_period_plan plan = plan_of(&period, interact_s, hook_s, quantum_s, compute_s);
        double period_s = (double)plan.nexthook * compute_s * (1 + 1e-12);
        assert_true(interact_s <= 0.05 * period_s);
        assert_true(hook_s <= 0.01 * (double)plan.stride * compute_s * (1 + 1e-12));
        assert_true(10 * quantum_s <= period_s);
        assert_true(keel_period_movement(&period) <= keel_period_workscale(&period) * period_s);
        assert_true(period_s - compute_s <= plan.target_s * (1 + 1e-9) || plan.nexthook == 1);
        assert_in_range(plan.stride, 1, plan.nexthook);
        assert_true(keel_period_workscale(&period) >= 1);
    }
}

/* What exchanges take, and what being half a period late costs, is least in sum. */
static void changes_set_the_cheapest_period(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int i = 0; i < 1000; i++) {
        double interact_s = 1e-6 + draws_real(&draws), stable_s = 1e-3 + 100 * draws_real(&draws);
        double period_s = keel_period_of_changes(interact_s, stable_s);
        double least = interact_s / period_s + period_s / 4 / stable_s;
        for (double factor = 0.5; factor <= 2; factor *= 1.1) {
            double other_s = factor * period_s;
            assert_true(least <= interact_s / other_s + other_s / 4 / stable_s + 1e-9);
        }
    }
    assert_true(keel_period_of_changes(0, 1) == 0);
    assert_true(keel_period_of_changes(1, 0) == 0);
}

/* An exchange of 1 ms in a period of 0.2 s takes 0.5 %; being a phase late costs half of the phase
 * in 10 s. */
static void an_exchange_is_hidden_where_that_is_cheaper(void **state)
{
    (void)state;
    assert_true(keel_period_of_changes(1e-3, 10) - 0.2 < 1e-9);
    assert_true(keel_period_hides(1e-3, 0.09, 10));
    assert_false(keel_period_hides(1e-3, 0.11, 10));
    assert_false(keel_period_hides(1e-3, 1, 10));
    assert_false(keel_period_hides(0, 0.1, 10));
}

/* 32 workers that do not meet by themselves, phases of 1 s, of which each meeting loses 0.1 s, and
 * an exchange that takes next to nothing. */
static struct keel_period_exchange apart_for(double stable_s)
{
    return (struct keel_period_exchange){
        .interact_s = 1e-6, .meeting_s = 0.1, .phase_s = 1, .stable_s = stable_s, .workers = 32};
}

static void meeting_makes_comparing_rarer(void **state)
{
    struct keel_period_exchange exchange = apart_for(40);
    struct keel_period_exchange together = exchange;

    (void)state;
    together.meeting_s = 0;
    assert_false(keel_period_exchange_hides(&exchange));
    assert_true(fabs(keel_period_of_exchanges(&exchange) - sqrt(4 * 0.05 * 40)) < 1e-3);
    assert_true(keel_period_of_exchanges(&together) < 0.1);
}

/* Being 5 phases late costs 2.5 s in 1000 s; meeting in periods of 20 s 5 s. */
static void meeting_is_hidden_where_rates_stay(void **state)
{
    struct keel_period_exchange exchange = apart_for(1000);

    (void)state;
    assert_true(keel_period_exchange_hides(&exchange));
    assert_int_equal(keel_period_hidden_hooks(&exchange), 5);
    assert_true(keel_period_of_exchanges(&exchange) < 0.1);
    exchange.meeting_s = 0;
    assert_int_equal(keel_period_hidden_hooks(&exchange), 1);
    assert_false(keel_period_exchange_hides(&exchange));
}

/* Phases of 0.1 s, an exchange of 1 ms, and 15 ms of messages that wait for it. */
static void messages_that_would_wait_are_not_kept_waiting(void **state)
{
    struct keel_period_exchange exchange = {
        .interact_s = 1e-3, .overlap_s = 0.015, .phase_s = 0.1, .stable_s = 1, .workers = 4};

    (void)state;
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
static void before_rates_are_known_only_long_exchanges_are_hidden(void **state)
{
    struct keel_period_exchange exchange = apart_for(0);

    (void)state;
    assert_false(keel_period_exchange_hides(&exchange));
    exchange.interact_s = 0.02;
    assert_true(keel_period_exchange_hides(&exchange));
    assert_true(keel_period_of_exchanges(&exchange) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scheduling_sets_the_papers_period),
        cmocka_unit_test(each_limit_can_be_the_largest),
        cmocka_unit_test(parameters_scale_their_limits),
        cmocka_unit_test(last_few_movements_count),
        cmocka_unit_test(period_recovers_from_a_burst_of_movements),
        cmocka_unit_test(broken_times_set_no_limit),
        cmocka_unit_test(extreme_phases_give_extreme_hooks),
        cmocka_unit_test(any_plan_keeps_its_limits),
        cmocka_unit_test(changes_set_the_cheapest_period),
        cmocka_unit_test(an_exchange_is_hidden_where_that_is_cheaper),
        cmocka_unit_test(meeting_makes_comparing_rarer),
        cmocka_unit_test(meeting_is_hidden_where_rates_stay),
        cmocka_unit_test(messages_that_would_wait_are_not_kept_waiting),
        cmocka_unit_test(before_rates_are_known_only_long_exchanges_are_hidden),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
