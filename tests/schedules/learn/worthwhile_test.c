/* When a loop is too short to be scheduled: trials with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "schedules/learn/worthwhile.h"

/* 400 + 10 * 30 + 600 / 2 = 1000 ns */
static const struct keel_scheduling_cost micro = {
    .start_ns = 400, .claim_ns = 30, .claims = 10, .chunk_ns = 600};

static struct keel_trials trials_of(unsigned count, double span_ns, double gain_ns)
{
    struct keel_trials trials = {0};

    for (unsigned i = 0; i < count; i++) {
        keel_trials_add(&trials, span_ns, gain_ns, 100);
    }
    return trials;
}

static void costs_add_up(void **state)
{
    (void)state;
    assert_true(keel_scheduling_cost_ns(&micro) == 1000);
    assert_true(keel_scheduling_cost_ns(&(struct keel_scheduling_cost){0}) == 0);
}

static void a_short_loop_that_gains_less_than_it_costs_is_static(void **state)
{
    struct keel_trials balanced = trials_of(5, 5000, 200), skewed = trials_of(5, 5000, 1100);

    (void)state;
    assert_true(keel_worthwhile_static(&micro, &balanced, false));
    assert_false(keel_worthwhile_static(&micro, &skewed, false));
}

static void a_long_loop_is_scheduled_whatever_it_gains(void **state)
{
    struct keel_trials under = trials_of(5, 32000, 0), over = trials_of(5, 32001, 0);

    (void)state;
    assert_true(keel_worthwhile_static(&micro, &under, false));
    assert_false(keel_worthwhile_static(&micro, &over, false));
}

static void what_is_settled_stays_until_it_is_twice_as_bad(void **state)
{
    struct keel_trials gain = trials_of(5, 5000, 1900), more = trials_of(5, 5000, 2100);
    struct keel_trials longer = trials_of(5, 60000, 0), longest = trials_of(5, 65000, 0);

    (void)state;
    assert_true(keel_worthwhile_static(&micro, &gain, true));
    assert_false(keel_worthwhile_static(&micro, &more, true));
    assert_true(keel_worthwhile_static(&micro, &longer, true));
    assert_false(keel_worthwhile_static(&micro, &longest, true));
}

static void interrupted_trials_do_not_count(void **state)
{
    struct keel_trials trials = {0};

    (void)state;
    for (unsigned i = 0; i < 8; i++) { /* five of eight, never three in a row */
        bool interrupted = i % 3 != 0;
        keel_trials_add(&trials, interrupted ? 4e6 : 5000, interrupted ? 2e6 : 100, 100);
    }
    assert_true(keel_trials_gain_ns(&trials) == 100);
    assert_true(keel_worthwhile_static(&micro, &trials, false));
}

static void what_differs_counts_by_its_median(void **state)
{
    static const double gain_ns[] = {500, 100, 400, 300, 200};
    struct keel_trials trials = {0};

    (void)state;
    assert_true(keel_trials_gain_ns(&trials) == 0);
    for (unsigned i = 0; i < 5; i++) {
        keel_trials_add(&trials, 5000 + gain_ns[i], gain_ns[i], 2 * gain_ns[i]);
        assert_true(i != 3 || keel_trials_gain_ns(&trials) == 350); /* 300 and 400 in the middle */
    }
    assert_true(keel_trials_gain_ns(&trials) == 300);
    assert_true(keel_trials_start_ns(&trials) == 600);
    assert_true(keel_trials_span_ns(&trials) == 5300);
}

static void a_short_region_is_passed_on_when_it_has_needed_nothing_often_enough(void **state)
{
    (void)state;
    assert_false(keel_worthwhile_pass(1000, 7, 0));
    assert_true(keel_worthwhile_pass(1000, 8, 0));
    assert_true(keel_worthwhile_pass(100e3, 8, 0));
    assert_false(keel_worthwhile_pass(101e3, 8, 0));
    assert_false(keel_worthwhile_pass(1000, 31, 2));
    assert_true(keel_worthwhile_pass(1000, 32, 2));
    assert_false(keel_worthwhile_pass(1000, 4000000000, 8));
}

static void a_loop_that_has_become_longer_is_noticed_after_three(void **state)
{
    struct keel_trials trials = trials_of(8, 5000, 100);

    (void)state;
    keel_trials_add(&trials, 2e6, 1000, 100);
    keel_trials_add(&trials, 2e6, 1000, 100);
    assert_true(keel_worthwhile_static(&micro, &trials, true));
    keel_trials_add(&trials, 2e6, 1000, 100);
    assert_false(keel_worthwhile_static(&micro, &trials, true));
    assert_true(keel_trials_length_ns(&trials) == 2e6);
}

/* However many there have been, the last eight are those that count. */
static void old_trials_are_forgotten(void **state)
{
    (void)state;
    for (unsigned before = 0; before < 40; before++) {
        struct keel_trials trials = trials_of(before, 5000, 3000);
        for (unsigned i = 0; i < KEEL_TRIALS; i++) {
            keel_trials_add(&trials, 6000, 100, 100);
        }
        assert_true(keel_trials_gain_ns(&trials) == 100);
        assert_true(keel_trials_span_ns(&trials) == 6000);
        assert_true(keel_trials_enough(&trials));
    }
    assert_false(keel_trials_enough(&(struct keel_trials){.count = 4}));
}

/* Each place of a cycle of regions gets its turn. */
static void every_region_of_a_cycle_is_looked_at(void **state)
{
    (void)state;
    for (unsigned long length = 1; length <= 64; length++) {
        unsigned long looked[64] = {0};
        for (unsigned long region = 1; region <= 64 * 251; region++) {
            looked[region % length] += keel_worthwhile_recheck(region);
        }
        for (unsigned long place = 0; place < length; place++) {
            assert_true(looked[place] >= 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_add_up),
        cmocka_unit_test(a_short_loop_that_gains_less_than_it_costs_is_static),
        cmocka_unit_test(a_long_loop_is_scheduled_whatever_it_gains),
        cmocka_unit_test(what_is_settled_stays_until_it_is_twice_as_bad),
        cmocka_unit_test(interrupted_trials_do_not_count),
        cmocka_unit_test(what_differs_counts_by_its_median),
        cmocka_unit_test(a_short_region_is_passed_on_when_it_has_needed_nothing_often_enough),
        cmocka_unit_test(a_loop_that_has_become_longer_is_noticed_after_three),
        cmocka_unit_test(old_trials_are_forgotten),
        cmocka_unit_test(every_region_of_a_cycle_is_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
