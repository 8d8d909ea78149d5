/* The oscillating-load model: by hand, its limits, and what goes into it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "schedules/balance/moves.h"
#include "schedules/model/oscillation.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"

#define OFF KEEL_OSCILLATION_OFF_FIRST
#define ON KEEL_OSCILLATION_ON_FIRST

/* Two workers, of which one has half of its processor for 10 s and all for 10 s. Balanced: 2
 * processors' worth and 1.5; with the shares of the other phase: 1.5 and 1. */
static struct keel_oscillation two_workers(void)
{
    return (struct keel_oscillation){
        .workers = 2,
        .loaded = 1,
        .taken = 0.5,
        .dedicated = 1,
        .off = {10, 2, 1},
        .on = {10, 2, 1},
    };
}

static double time_of(const struct keel_oscillation *oscillation, double work,
                      enum keel_oscillation_start start)
{
    return keel_oscillation_job(oscillation, work, start).elapsed_s;
}

/* off: 2 s at 1.5, 1 s of nothing, 7 s at 2; on: 2 s at 1, 1 s of nothing, 7 s at 1.5 */
static void a_period_has_three_parts_for_each_change(void **state)
{
    struct keel_oscillation two = two_workers();
    struct keel_oscillation_parts period = keel_oscillation_period(&two);

    (void)state;
    assert_true(is_near(period.elapsed_s, 20));
    assert_true(is_near(period.available, 35));
    assert_true(is_near(period.productive, 29.5));
    assert_true(is_near(period.lost_shares, 2 * 0.5 + 2 * 0.5));
    assert_true(is_near(period.lost_moving, 2 + 1.5));
    assert_true(period.lost_otherwise == 0 && period.movements == 2);
    assert_true(is_near(keel_oscillation_efficiency(&period), 29.5 / 35));
}

static void what_is_computed_is_computed_at_the_dedicated_efficiency(void **state)
{
    struct keel_oscillation two = two_workers();

    (void)state;
    two.dedicated = 0.8;
    struct keel_oscillation_parts period = keel_oscillation_period(&two);
    assert_true(is_near(period.productive, 0.8 * 29.5));
    assert_true(is_near(period.lost_otherwise, 0.2 * 29.5));
    assert_true(is_near(period.lost_shares + period.lost_moving, 5.5));
    assert_true(is_near(time_of(&two, 0.8 * 5, ON), 5));
}

/* Shares are equal at first, so load first means that they do not fit. */
static void short_jobs_end_in_the_midst_of_a_phase(void **state)
{
    struct keel_oscillation two = two_workers();

    (void)state;
    assert_true(is_near(time_of(&two, 1, ON), 1));
    assert_true(is_near(time_of(&two, 2, ON), 2));
    assert_true(is_near(time_of(&two, 5, ON), 3 + 3 / 1.5));
    assert_true(is_near(time_of(&two, 12.5 + 3 + 2, ON), 10 + 3 + 1));
    assert_true(is_near(time_of(&two, 20, OFF), 10));
    assert_true(is_near(time_of(&two, 21, OFF), 11));
    assert_true(is_near(time_of(&two, 20 + 2 + 3, OFF), 10 + 3 + 2));
    assert_true(is_near(time_of(&two, 20 + 12.5 + 1.5, OFF), 21));
}

static void long_jobs_are_periods_and_a_rest(void **state)
{
    struct keel_oscillation two = two_workers();
    struct keel_oscillation_parts job;

    (void)state;
    assert_true(is_near(time_of(&two, 29.5 + 5, ON), 20 + 5));
    assert_true(is_near(time_of(&two, 1000 * 29.5 + 5, ON), 20000 + 5));
    assert_true(is_near(time_of(&two, 32.5 + 1000 * 29.5 + 1.5, OFF), 20020 + 1));
    job = keel_oscillation_job(&two, 1000 * 29.5 + 5, ON);
    assert_true(job.movements == 2001 && is_near(job.productive, 29505));
    assert_true(is_near(job.available, 35000 + 7.5));
    assert_true(is_near(job.available, job.productive + job.lost_shares + job.lost_moving));

    two.dedicated = 0.7; /* which is not exact */
    for (int periods = 1; periods < 1000; periods++) {
        assert_true(is_near(time_of(&two, 0.7 * (29.5 * periods + 5), ON), 20 * periods + 5));
    }
}

/* The load's phase ends with a movement of 5 s, which jobs need not wait for. */
static void jobs_end_with_their_work(void **state)
{
    struct keel_oscillation two = two_workers();

    (void)state;
    two.on = (struct keel_oscillation_phase){10, 5, 5};
    assert_true(is_near(time_of(&two, 20 + 5 + 1000 * (17 + 5), OFF), 20 * 1001 - 5));
}

/* on: 0.5 s at 1, 1 s of nothing, 8.5 s at 1.5: 13.25; off, as ever: 2 * 1.5 + 7 * 2 = 17; on, as
 * ever: 2 * 1 + 7 * 1.5 = 12.5 */
static void a_load_from_the_beginning_may_be_followed_sooner(void **state)
{
    struct keel_oscillation two = two_workers(), sooner = two_workers();

    (void)state;
    sooner.begin_delay_s = 0.5;
    assert_true(is_near(time_of(&sooner, 0.5 + 1.5 * 1.5, ON), 3));
    assert_true(is_near(time_of(&sooner, 13.25, ON), 10));
    assert_true(is_near(time_of(&sooner, 13.25 + 17 + 12.5, ON), 30));
    assert_true(time_of(&sooner, 100, OFF) == time_of(&two, 100, OFF));
    sooner = keel_oscillation_unbalanced(&sooner);
    assert_true(is_near(time_of(&sooner, 10, ON), 10));
}

static void without_balancing_shares_stay_equal(void **state)
{
    struct keel_oscillation two = two_workers(), none = keel_oscillation_unbalanced(&two);
    struct keel_oscillation_parts period = keel_oscillation_period(&none);

    (void)state;
    assert_true(is_near(period.productive, 30) && period.movements == 0);
    assert_true(is_near(period.lost_shares, 5));
    assert_true(is_near(time_of(&none, 35, ON), 22.5 + 2.5));
    assert_true(is_near(keel_oscillation_ratio(&two, 5, ON), 1));
    assert_true(is_near(keel_oscillation_ratio(&two, 12.5, ON), 10 / 11.25));
}

static void changes_that_are_over_before_the_delay_have_no_effect(void **state)
{
    struct keel_oscillation two = two_workers(), none = keel_oscillation_unbalanced(&two);

    (void)state;
    two.on.delay_s = 10;
    for (double work = 1; work < 100; work += 7) {
        assert_true(is_near(time_of(&two, work, ON), time_of(&none, work, ON)));
    }
    assert_true(keel_oscillation_period(&two).movements == 0);

    /* those of the rest have none, and shares stay as the load has made them */
    two.on.delay_s = 2;
    two.off.delay_s = 10;
    struct keel_oscillation_parts period = keel_oscillation_period(&two);
    assert_true(is_near(period.productive, 15 + 15) && period.movements == 0);
}

/* No delay, but 15 s to move: off 0 - 10; moves until 25 and back until 40; off 40 - 50; ... */
static void movements_longer_than_phases_go_on_in_the_next(void **state)
{
    struct keel_oscillation two = two_workers();

    (void)state;
    two.off = two.on = (struct keel_oscillation_phase){10, 0, 15};
    struct keel_oscillation_parts period = keel_oscillation_period(&two);
    assert_true(is_near(period.elapsed_s, 20) && is_near(period.movements, 1));
    assert_true(is_near(period.productive, 10) && is_near(period.lost_moving, 25));
    assert_true(is_near(time_of(&two, 20 * 5 - 1, OFF), 160 + 9.5));
    assert_true(is_near(time_of(&two, 20 * 5 + 1, OFF), 200 + 0.5));
    assert_true(is_near(time_of(&two, 20 * 5000 + 1, OFF), 200000 + 0.5));

    /* delays count from the change: moves 13 - 25, 25 - 37, 37 - 49 and 49 - 61, to rest */
    two.off = two.on = (struct keel_oscillation_phase){10, 3, 12};
    assert_true(is_near(time_of(&two, 20 + 3, OFF), 13));
    assert_true(is_near(time_of(&two, 20 + 3 + 1, OFF), 61.5));

    two.off.movement_s = two.on.movement_s = INFINITY;
    assert_true(time_of(&two, 20, OFF) == 10 && isinf(time_of(&two, 24, OFF)));
}

static void without_delays_it_is_as_efficient_as_without_load(void **state)
{
    struct keel_oscillation two = two_workers();

    (void)state;
    two.dedicated = 0.9;
    two.off = two.on = (struct keel_oscillation_phase){10, 0, 0};
    struct keel_oscillation_parts period = keel_oscillation_period(&two);
    assert_true(is_near(keel_oscillation_efficiency(&period), 0.9));
    assert_true(keel_oscillation_break_even(&two) == 0);
}

/* A load that takes all leaves the others: 1 of 2 processors, as much with the wrong shares for
 * the rest, and nothing with equal ones. */
static void loads_may_take_all_or_nothing(void **state)
{
    struct keel_oscillation two = two_workers();

    (void)state;
    two.taken = 1;
    struct keel_oscillation_parts period = keel_oscillation_period(&two);
    assert_true(is_near(period.productive, 2 * 1 + 7 * 2 + 0 + 7 * 1));
    assert_true(is_near(period.available, 30));
    struct keel_oscillation none = keel_oscillation_unbalanced(&two);
    assert_true(is_near(time_of(&none, 20, ON), 20));

    two.taken = 0;
    period = keel_oscillation_period(&two);
    assert_true(period.movements == 0 && is_near(period.productive, 40));
    assert_true(isinf(keel_oscillation_break_even(&two)));
}

/* One worker, all of them and none of them: shares are equal in any case. */
static void shares_need_workers_that_differ(void **state)
{
    struct keel_oscillation two = two_workers();
    struct keel_oscillation_parts period;

    (void)state;
    two.loaded = 5; /* as many as there are */
    period = keel_oscillation_period(&two);
    assert_true(period.movements == 0 && is_near(period.productive, 30));
    assert_true(is_near(period.available, 30) && isinf(keel_oscillation_break_even(&two)));
    two.loaded = 0;
    period = keel_oscillation_period(&two);
    assert_true(period.movements == 0 && is_near(period.productive, 40));
    two.workers = two.loaded = 1;
    period = keel_oscillation_period(&two);
    assert_true(period.movements == 0 && is_near(period.productive, 15));
    two.taken = 1;
    two.off.length_s = 0;
    period = keel_oscillation_period(&two);
    assert_true(isinf(time_of(&two, 1, OFF)) && keel_oscillation_efficiency(&period) == 1);
    assert_true(keel_oscillation_ratio(&two, 1, OFF) == 1);
}

static void a_load_may_stay_for_good_or_never_come(void **state)
{
    struct keel_oscillation two = two_workers(), load = two;

    (void)state;
    load.off.length_s = 0;
    assert_true(is_near(time_of(&load, 2 + 1.5 * 100, OFF), 103));
    assert_true(keel_oscillation_job(&load, 1000, ON).movements == 1);
    assert_true(is_near(keel_oscillation_period(&load).productive, 1.5));
    assert_true(keel_oscillation_break_even(&load) == 0);
    load.off.length_s = 10;
    load.on.length_s = INFINITY;
    assert_true(is_near(time_of(&load, 20 + 2 + 150, OFF), 10 + 103));
    assert_true(is_near(keel_oscillation_period(&load).productive, 1.5));

    load = two;
    load.on.length_s = 0;
    assert_true(is_near(time_of(&load, 100, ON), 50));
    assert_true(isinf(keel_oscillation_break_even(&load)));
    load.on.length_s = load.off.length_s = INFINITY;
    assert_true(is_near(time_of(&load, 100, ON), 50));
    load.on.length_s = 10;
    assert_true(is_near(time_of(&load, 12.5 + 3 + 100, ON), 10 + 3 + 50));
    assert_true(is_near(keel_oscillation_period(&load).productive, 2));
}

static double gain(const struct keel_oscillation *oscillation, double period_s, double on_part)
{
    struct keel_oscillation with = *oscillation;

    with.on.length_s = on_part * period_s;
    with.off.length_s = period_s - with.on.length_s;
    struct keel_oscillation without = keel_oscillation_unbalanced(&with);
    return keel_oscillation_period(&with).productive - keel_oscillation_period(&without).productive;
}

/* t_b = 2 + (0.5 * 2 + 2 * 1 + 1.5 * 1) / 0.5 = 11 */
static void balancing_pays_from_the_break_even_period_on(void **state)
{
    struct keel_oscillation two = two_workers();

    (void)state;
    assert_true(is_near(keel_oscillation_break_even(&two), 22));
    assert_true(fabs(gain(&two, 22, 0.5)) < 1e-9);
    assert_true(gain(&two, 23, 0.5) > 0 && gain(&two, 21, 0.5) < 0);

    struct keel_oscillation six = {6, 2, 0.3, 1, {30, 3, 4}, {10, 1, 2}, 0};
    double period_s = keel_oscillation_break_even(&six);
    assert_true(fabs(gain(&six, period_s, 0.25)) < 1e-9);
    assert_true(gain(&six, 1.01 * period_s, 0.25) > 0 && gain(&six, 0.99 * period_s, 0.25) < 0);

    /* as much would be gained at 5 1/3 s, if there were so long a rest */
    struct keel_oscillation four = {4, 1, 0.5, 1, {10, 8, 0}, {10, 0, 0}, 0};
    assert_true(is_near(keel_oscillation_break_even(&four), 16));
    four.on.delay_s = 9;
    assert_true(is_near(keel_oscillation_break_even(&four), 2 * (9 + 4 / 1.5)));
    four.on.movement_s = INFINITY;
    assert_true(isinf(keel_oscillation_break_even(&four)));
}

/* By S10, from UP3. Down: 0.4 * 0.75 + 0.6 * 1 = 0.9; 0.7 * 0.5 + 0.3 * 0.9 = 0.62; 0.8 * 0.5 +
 * 0.2 * 0.62 = 0.524. Up: 0.8 * 0.75 + 0.2 * 0.5 = 0.7; 0.8 * 1 + 0.2 * 0.7 = 0.94. */
static void filters_follow_in_a_few_steps(void **state)
{
    (void)state;
    assert_int_equal(keel_oscillation_filter_steps(1, 0.5, 0.9), 1);
    assert_int_equal(keel_oscillation_filter_steps(1, 0.5, 0.25), 2);
    assert_int_equal(keel_oscillation_filter_steps(1, 0.5, 0.1), 3);
    assert_int_equal(keel_oscillation_filter_steps(1, 0.5, 0.04), 4);
    assert_int_equal(keel_oscillation_filter_steps(0.5, 1, 0.1), 2);
    assert_int_equal(keel_oscillation_filter_steps(0.5, 1, 0.05), 3);
    assert_int_equal(keel_oscillation_filter_steps(3, 3, 1e-9), 1);
    assert_int_equal(keel_oscillation_filter_steps(1, 0, 0.1), KEEL_OSCILLATION_STEPS_MAX);
    assert_int_equal(keel_oscillation_filter_steps(NAN, 1, 0.1), KEEL_OSCILLATION_STEPS_MAX);
    assert_in_range(keel_oscillation_filter_steps(1, 0.3, 0), 2, KEEL_OSCILLATION_STEPS_MAX);
}

static void delays_are_of_periods_filter_and_pipelining(void **state)
{
    struct keel_oscillation two = two_workers();
    struct keel_oscillation_response response = {
        .period_s = 2, .quantum_s = 0.1, .threshold = 0.1, .filtered = true, .pipelined = true};

    (void)state;
    keel_oscillation_respond(&two, &response);
    assert_true(is_near(two.on.delay_s, 3.5 * 2 + 0.05));
    assert_true(is_near(two.off.delay_s, 2.5 * 2 + 0.05));
    response.pipelined = false;
    assert_true(is_near(keel_oscillation_delay(&response, 1, 0.5), 2.5 * 2 + 0.05));
    response.filtered = false;
    assert_true(is_near(keel_oscillation_delay(&response, 1, 0.5), 1.5 * 2 + 0.05));
    two.taken = 1;
    keel_oscillation_respond(&two, &response);
    assert_true(isinf(two.on.delay_s) && isinf(two.off.delay_s));
}

/* Eight workers: with equal shares the coming load leaves 8 * 0.5 of 7.5 processors' worth, with
 * those for the load 7.5 of 8 are used when it goes: 0.467 and 0.0625 are gained. */
static void changes_under_the_threshold_are_not_followed(void **state)
{
    struct keel_oscillation eight = {.workers = 8,
                                     .loaded = 1,
                                     .taken = 0.5,
                                     .dedicated = 1,
                                     .off = {10, 0, 1},
                                     .on = {10, 0, 1}};
    struct keel_oscillation_response response = {.period_s = 1, .gain = 0.06};

    (void)state;
    keel_oscillation_respond(&eight, &response);
    assert_true(eight.on.delay_s == 1.5 && eight.off.delay_s == 1.5);
    response.gain = 0.46;
    keel_oscillation_respond(&eight, &response);
    assert_true(eight.on.delay_s == 1.5 && isinf(eight.off.delay_s));
    /* shares for the load stay: the second time it comes, they are right at once */
    assert_true(keel_oscillation_job(&eight, 400, ON).movements == 1);
    response.gain = 0.47;
    keel_oscillation_respond(&eight, &response);
    assert_true(isinf(eight.on.delay_s) && isinf(eight.off.delay_s));
    assert_true(keel_oscillation_job(&eight, 400, ON).movements == 0);
}

/* 175 rows each, of which the loaded one keeps 100; the others get 25 each. */
static void movements_take_the_busiest_worker_s_messages(void **state)
{
    struct keel_oscillation four = {.workers = 4, .loaded = 1, .taken = 0.5};
    struct keel_oscillation_data data = {.rows = 700, .row_bytes = 8, .alpha_s = 10, .beta_s = 0.5};

    (void)state;
    assert_true(is_near(keel_oscillation_surplus(&four, 700), 75));
    assert_true(is_near(keel_oscillation_movement(&four, &data), 3 * 10 + 75 * 4));
    data.adjacent = true;
    assert_true(is_near(keel_oscillation_movement(&four, &data), 2 * 10 + (75 + 50) * 4));
    data.duplex = true; /* the second worker gets 75 while it sends 50 */
    assert_true(is_near(keel_oscillation_movement(&four, &data), 2 * 10 + 75 * 4));
    data.duplex = false;
    four.workers = 2; /* 350 and 350; 233 1/3 and 466 2/3 */
    assert_true(is_near(keel_oscillation_movement(&four, &data), 10 + 350 / 3.0 * 4));
    four.workers = 1;
    assert_true(keel_oscillation_movement(&four, &data) == 0);

    four = (struct keel_oscillation){.workers = 4, .loaded = 3, .taken = 0.5};
    data.rows = 1000;
    data.adjacent = false; /* 50 of each to the last one */
    assert_true(is_near(keel_oscillation_movement(&four, &data), 3 * 10 + 150 * 4));
    data.adjacent = data.duplex = true; /* the third sends 150, and gets 100 */
    assert_true(is_near(keel_oscillation_movement(&four, &data), 2 * 10 + 150 * 4));
}

/* The busiest worker's rows, and rounds, as schedules/balance/moves.h plans them. */
static void adjacent_movements_are_as_planned_ones(void **state)
{
    static const struct {
        uint32_t loaded;
        double taken;
        uint64_t present[5], wanted[5];
        double messages;
    } cases[] = {
        {1, 0.5, {0, 175, 350, 525, 700}, {0, 100, 300, 500, 700}, 2},
        {2, 0.5, {0, 300, 600, 900, 1200}, {0, 200, 400, 800, 1200}, 2},
        {3, 0.5, {0, 250, 500, 750, 1000}, {0, 200, 400, 600, 1000}, 2},
        {3, 1, {0, 250, 500, 750, 1000}, {0, 0, 0, 0, 1000}, 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct keel_oscillation four = {
            .workers = 4, .loaded = cases[i].loaded, .taken = cases[i].taken};
        struct keel_oscillation_data data = {
            .rows = (double)cases[i].present[4], .row_bytes = 1, .beta_s = 1, .adjacent = true};
        struct keel_moves_sum sum = keel_moves_adjacent_sum(4, cases[i].present, cases[i].wanted);
        assert_true(is_near(keel_oscillation_movement(&four, &data), (double)sum.most_rows));
        data.beta_s = 0;
        data.alpha_s = 1;
        assert_true(is_near(keel_oscillation_movement(&four, &data), cases[i].messages));
        assert_true(cases[i].messages == 2 * sum.rounds);
    }
}

static const double odd[] = {NAN, -INFINITY, -1, 0, 1e-300, 0.5, 1, 7, 1e300, INFINITY};

#define ODD (sizeof odd / sizeof *odd)

static void assert_numbers(const struct keel_oscillation *oscillation, double work)
{
    struct keel_oscillation_parts period = keel_oscillation_period(oscillation);
    struct keel_oscillation_parts job = keel_oscillation_job(oscillation, work, ON);
    struct keel_oscillation_data data = {work, work, work, work, true, true};
    struct keel_oscillation_response response = {work, work, work, true, true, work};

    assert_true(period.elapsed_s >= 0 && period.productive >= 0 && period.available >= 0);
    assert_true(job.elapsed_s >= 0 && job.productive >= 0 && job.available >= 0);
    assert_true(keel_oscillation_efficiency(&period) >= 0);
    assert_true(keel_oscillation_efficiency(&job) >= 0);
    assert_true(keel_oscillation_ratio(oscillation, work, OFF) >= 0);
    assert_true(keel_oscillation_break_even(oscillation) >= 0);
    assert_true(keel_oscillation_movement(oscillation, &data) >= 0);
    assert_true(keel_oscillation_delay(&response, oscillation->taken, work) >= 0);
    struct keel_oscillation followed = *oscillation;
    keel_oscillation_respond(&followed, &response);
    assert_true(followed.on.delay_s >= 0 && followed.off.delay_s >= 0);
}

static void no_argument_gives_no_number(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        double value[9];
        for (int v = 0; v < 9; v++) {
            value[v] = odd[draws_below(&draws, ODD)];
        }
        struct keel_oscillation oscillation = {
            .workers = i % 5,
            .loaded = i % 3,
            .taken = value[0],
            .dedicated = value[1],
            .off = {value[2], value[3], value[4]},
            .on = {value[5], value[6], value[7]},
            .begin_delay_s = value[3],
        };
        assert_numbers(&oscillation, value[8]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_period_has_three_parts_for_each_change),
        cmocka_unit_test(what_is_computed_is_computed_at_the_dedicated_efficiency),
        cmocka_unit_test(short_jobs_end_in_the_midst_of_a_phase),
        cmocka_unit_test(long_jobs_are_periods_and_a_rest),
        cmocka_unit_test(jobs_end_with_their_work),
        cmocka_unit_test(a_load_from_the_beginning_may_be_followed_sooner),
        cmocka_unit_test(without_balancing_shares_stay_equal),
        cmocka_unit_test(changes_that_are_over_before_the_delay_have_no_effect),
        cmocka_unit_test(movements_longer_than_phases_go_on_in_the_next),
        cmocka_unit_test(without_delays_it_is_as_efficient_as_without_load),
        cmocka_unit_test(loads_may_take_all_or_nothing),
        cmocka_unit_test(shares_need_workers_that_differ),
        cmocka_unit_test(a_load_may_stay_for_good_or_never_come),
        cmocka_unit_test(balancing_pays_from_the_break_even_period_on),
        cmocka_unit_test(filters_follow_in_a_few_steps),
        cmocka_unit_test(delays_are_of_periods_filter_and_pipelining),
        cmocka_unit_test(changes_under_the_threshold_are_not_followed),
        cmocka_unit_test(movements_take_the_busiest_worker_s_messages),
        cmocka_unit_test(adjacent_movements_are_as_planned_ones),
        cmocka_unit_test(no_argument_gives_no_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
