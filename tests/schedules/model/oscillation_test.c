/* The oscillating-load model by hand, and what goes into it. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/moves.h"
#include "schedules/model/oscillation.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

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

static double time_of(const struct keel_oscillation *oscillation, double work)
{
    return keel_oscillation_job(oscillation, work).elapsed_s;
}

TEST(jobs_by_hand)
{
    static const struct {
        double work, elapsed_s;
    } rows[] = {
        {0, 0},
        /* shares are equal at first, so they do not fit */
        {1, 1},
        {2, 2},
        {5, 3 + 3 / 1.5},
        {12.5 + 3 + 2, 10 + 3 + 1},
        /* off: 2 s at 1.5, 1 s of nothing, 7 s at 2; on: 2 s at 1, 1 s of nothing, 7 s at 1.5 */
        {29.5 + 5, 20 + 5},
        {1000 * 29.5 + 5, 20000 + 5},
    };
    struct keel_oscillation two = two_workers();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(is_near(time_of(&two, rows[i].work), rows[i].elapsed_s));
    }
}

/* 1000 periods, and 5 s of the next one. */
TEST(efficiency_is_of_what_the_load_leaves)
{
    struct keel_oscillation two = two_workers();
    struct keel_oscillation_parts job = keel_oscillation_job(&two, 29505);

    assert_true(is_near(job.productive, 29505) && is_near(job.available, 35000 + 7.5));
    assert_true(is_near(keel_oscillation_efficiency(&job), 29505 / 35007.5));
    job = keel_oscillation_job(&two, 0.5);
    assert_true(is_near(keel_oscillation_efficiency(&job), 0.5 / 0.75));
    two.dedicated = 0.8;
    job = keel_oscillation_job(&two, 0.8 * 29505);
    assert_true(is_near(job.elapsed_s, 20005) && is_near(job.productive, 0.8 * 29505));
    two.off = two.on = (struct keel_oscillation_phase){10, 0, 0};
    job = keel_oscillation_job(&two, 1000);
    assert_true(is_near(keel_oscillation_efficiency(&job), 0.8));
}

/* No delay, but 15 s to move: to the load's shares until 15 and back until 30; off 30 - 40; ... */
TEST(movements_longer_than_phases_go_on_in_the_next)
{
    struct keel_oscillation two = two_workers();

    two.off = two.on = (struct keel_oscillation_phase){10, 0, 15};
    assert_true(is_near(time_of(&two, 20 * 5 - 1), 190 + 9.5));
    assert_true(is_near(time_of(&two, 20 * 5 + 1), 230 + 0.5));
    assert_true(is_near(time_of(&two, 20 * 2000 + 1), 80030 + 0.5));

    two.off.movement_s = two.on.movement_s = INFINITY;
    struct keel_oscillation_parts never = keel_oscillation_job(&two, 24);
    assert_true(isinf(never.elapsed_s));
    assert_true(keel_oscillation_efficiency(&never) == 0);
}

TEST(a_load_may_stay_for_good_or_never_come)
{
    struct keel_oscillation load = two_workers();

    load.off.length_s = 0;
    assert_true(is_near(time_of(&load, 2 + 1.5 * 100), 103));
    load.off.length_s = 10;
    load.on.length_s = 0;
    assert_true(is_near(time_of(&load, 100), 50));
    load.off.length_s = INFINITY;
    load.on.length_s = 10;
    assert_true(is_near(time_of(&load, 12.5 + 3 + 100), 10 + 3 + 50));
}

/* By S10, from UP3. Down: 0.4 * 0.75 + 0.6 * 1 = 0.9; 0.7 * 0.5 + 0.3 * 0.9 = 0.62; 0.8 * 0.5 +
 * 0.2 * 0.62 = 0.524. Up: 0.8 * 0.75 + 0.2 * 0.5 = 0.7; 0.8 * 1 + 0.2 * 0.7 = 0.94. */
TEST(delays_are_of_periods_filter_and_pipelining)
{
    static const struct {
        double threshold, on_steps, off_steps;
    } rows[] = {{0.9, 1, 1}, {0.25, 2, 2}, {0.1, 3, 2}, {0.04, 4, 3}};
    struct keel_oscillation two = two_workers();
    struct keel_oscillation_response response = {.period_s = 2, .quantum_s = 0.1, .filtered = true};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        response.threshold = rows[i].threshold;
        keel_oscillation_respond(&two, &response);
        assert_true(is_near(two.on.delay_s, (rows[i].on_steps - 0.5) * 2 + 0.05));
        assert_true(is_near(two.off.delay_s, (rows[i].off_steps - 0.5) * 2 + 0.05));
    }
    response.pipelined = true;
    keel_oscillation_respond(&two, &response);
    assert_true(is_near(two.on.delay_s, 4.5 * 2 + 0.05));
    response.filtered = response.pipelined = false;
    keel_oscillation_respond(&two, &response);
    assert_true(is_near(two.on.delay_s, 1.5 * 2 + 0.05));
    two.taken = 1;
    keel_oscillation_respond(&two, &response);
    assert_true(isinf(two.on.delay_s) && isinf(two.off.delay_s));
    two.taken = 0.7; /* never as near as that */
    response.filtered = true;
    response.threshold = 0;
    keel_oscillation_respond(&two, &response);
    assert_in_range(two.on.delay_s, 3, 2 * KEEL_OSCILLATION_STEPS_MAX);
}

/* Eight workers: with equal shares the coming load leaves 8 * 0.5 of 7.5 processors' worth, with
 * those for the load 7.5 of 8 are used when it goes: 0.467 and 0.0625 are gained. */
TEST(changes_under_the_threshold_are_not_followed)
{
    struct keel_oscillation eight = {.workers = 8,
                                     .loaded = 1,
                                     .taken = 0.5,
                                     .dedicated = 1,
                                     .off = {10, 0, 1},
                                     .on = {10, 0, 1}};
    struct keel_oscillation_response response = {.period_s = 1, .gain = 0.06};

    keel_oscillation_respond(&eight, &response);
    assert_true(eight.on.delay_s == 1.5 && eight.off.delay_s == 1.5);
    response.gain = 0.46;
    keel_oscillation_respond(&eight, &response);
    assert_true(eight.on.delay_s == 1.5 && isinf(eight.off.delay_s));
    /* shares for the load stay: each later time that it comes, they are right at once */
    assert_true(is_near(time_of(&eight, 4 * 1.5 + 7.5 * 107.5), 1.5 + 1 + 107.5));
    response.gain = 0.47;
    keel_oscillation_respond(&eight, &response);
    assert_true(isinf(eight.on.delay_s) && isinf(eight.off.delay_s));
    assert_true(is_near(time_of(&eight, 4 * 10 + 8 * 10 + 4 * 5), 25));
}

/* Bytes are the rows over the bound between loaded workers and others; rounds as
 * schedules/balance/moves.h plans them. */
TEST(movements_are_as_planned_ones)
{
    static const struct {
        uint32_t workers, loaded;
        double taken;
        uint64_t present[5], wanted[5];
    } cases[] = {
        {4, 1, 0.5, {0, 175, 350, 525, 700}, {0, 100, 300, 500, 700}},
        {4, 2, 0.5, {0, 300, 600, 900, 1200}, {0, 200, 400, 800, 1200}},
        {4, 3, 0.5, {0, 250, 500, 750, 1000}, {0, 200, 400, 600, 1000}},
        {4, 3, 1, {0, 250, 500, 750, 1000}, {0, 0, 0, 0, 1000}},
        {2, 1, 0.5, {0, 300, 600}, {0, 200, 600}},
        {3, 3, 0.5, {0, 100, 200, 300}, {0, 100, 200, 300}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t workers = cases[i].workers, loaded = cases[i].loaded;
        struct keel_oscillation some = {
            .workers = workers, .loaded = loaded, .taken = cases[i].taken};
        struct keel_oscillation_data data = {
            .rows = (double)cases[i].present[workers], .row_bytes = 8, .beta_s = 0.5};
        struct keel_moves_sum sum =
            keel_moves_adjacent_sum(workers, cases[i].present, cases[i].wanted);
        double over = (double)(cases[i].present[loaded] - cases[i].wanted[loaded]);
        assert_true(is_near(keel_oscillation_movement(&some, &data), 4 * over));
        data.beta_s = 0;
        data.alpha_s = 1;
        assert_true(keel_oscillation_movement(&some, &data) == sum.rounds * (workers > 2 ? 2 : 1));
    }
}
