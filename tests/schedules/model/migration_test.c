/* Loads that move between workers: migration, and the oscillating load. */
#include <math.h>
#include <stdlib.h>

#include "schedules/balance/moves.h"
#include "schedules/model/migration.h"
#include "schedules/model/oscillation.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- migration: numbers by hand; simulated: who asks whom, what moves and when, and when all
 * end --- */

#define MOVES_MAX 1000

/* --- plays --- */

/* The master is busy for 1 s a task. Requests come at 0.25; worker 0 gets tasks at 1.5 (1.25 and
 * 0.25) and, having done it at 3.5 and asked, at 5; worker 1 at 2.5 and at 7. */
TEST(masters_serve_one_after_the_other)
{
    static const double cost[] = {2, 3, 4, 3}, throughput[] = {1, 1};
    struct keel_migration_master master = {.alpha_s = 0.5, .latency_s = 0.25};
    double done_s[2], room[2];

    double end_s = keel_migration_master_simulate(&master, 2, throughput, cost, 4, done_s, room);
    assert_true(is_near(done_s[0], 5 + 4) && is_near(done_s[1], 7 + 3) && end_s == done_s[1]);
    /* worker 1 twice as quick: done at 4, it gets its next task at 6; half of a message is bytes */
    master = (struct keel_migration_master){
        .alpha_s = 0.25, .beta_s = 0.1, .task_bytes = 2, .result_bytes = 3, .latency_s = 0.25};
    end_s = keel_migration_master_simulate(&master, 2, (double[]){1, 2}, cost, 4, done_s, room);
    assert_true(is_near(done_s[0], 9) && is_near(done_s[1], 7.5) && end_s == done_s[0]);
    end_s = keel_migration_master_simulate(&master, 2, throughput, cost, 1, done_s, room);
    assert_true(is_near(done_s[0], 3.5) && done_s[1] == 0 && end_s == done_s[0]);
}

/* The master is busy for 2 * 0.02 + 0.03 = 0.07 s a task; a worker comes again after 0.53 + 0.07 +
 * 0.1 = 0.7 s. */
TEST(masters_are_saturated_by_so_many_workers)
{
    allow_exceptions();
    struct keel_migration_master master = {
        .alpha_s = 0.02, .beta_s = 0.001, .latency_s = 0.05, .task_bytes = 10, .result_bytes = 20};

    assert_true(is_near(keel_migration_master_workers(&master, 1 / 0.53), 10));
    master = (struct keel_migration_master){.latency_s = 1};
    assert_true(isinf(keel_migration_master_workers(&master, 1)));
}

/* K8: 16 workers with 50 tasks each */
TEST(the_paper_s_number_of_migrations)
{
    assert_true(fabs(keel_migration_tree_messages(16, 50, 1) - 84.7) < 0.05);
    assert_true(fabs(keel_migration_tree_messages(16, 50, 692 / 693.0) - 84.48) < 0.005);
    assert_true(is_near(keel_migration_tree_messages(4, 16, 0.5), 6));
    assert_true(keel_migration_tree_messages(4, 1, 0.5) == 0);
}

TEST(slow_workers_with_equal_shares_make_it_slower)
{
    allow_exceptions();
    static const double throughput[] = {2, 1, 3, 1.5};
    struct keel_migration_anomaly anomaly = keel_migration_anomaly(4, throughput, 40, 0.5);

    assert_true(is_near(anomaly.without_s, 10) && is_near(anomaly.with_s, 16));
    assert_true(is_near(anomaly.limit, 0.8));
    assert_true(is_near(keel_migration_anomaly(4, throughput, 40, 0.8).with_s, 10));
    assert_true(is_near(keel_migration_anomaly(4, throughput, 40, 5).with_s, 8));
    assert_true(isinf(keel_migration_anomaly(4, throughput, 40, 0).with_s));
}

static struct keel_migration_move move[MOVES_MAX];
static double finish_s[64];

static struct keel_migration_result play(const struct keel_migration_simulation *game)
{
    void *scratch = malloc(keel_migration_simulate_scratch(game));
    struct keel_migration_result result =
        keel_migration_simulate(game, move, MOVES_MAX, finish_s, scratch);

    free(scratch);
    return result;
}

static void assert_move(size_t i, double time_s, uint32_t from, uint32_t to, double tasks)
{
    assert_true(is_near(move[i].time_s, time_s) && is_near(move[i].tasks, tasks));
    assert_int_equal(move[i].from, from);
    assert_int_equal(move[i].to, to);
}

static const double K7_THROUGHPUT[] = {1, 2, 3, 4}, K7_TASKS[] = {60, 60, 60, 60};

/* K7, tau = 1 and N = 60: 3N/5 at N/4, 3N/15 at N/3, all is done at 2N/5. */
TEST(the_worked_example)
{
    struct keel_migration_link link[] = {{3, 0}, {2, 1}};
    struct keel_migration_simulation game = {
        .workers = 4, .throughput = K7_THROUGHPUT, .tasks = K7_TASKS, .link = link, .links = 2};
    struct keel_migration_result result = play(&game);

    assert_true(is_near(result.finish_s, 24) && is_near(result.ideal_s, 24));
    assert_true(result.moves == 2 && is_near(result.tasks, 48));
    assert_move(0, 15, 0, 3, 36);
    assert_move(1, 20, 1, 2, 12);
    for (int w = 0; w < 4; w++) {
        assert_true(is_near(finish_s[w], 24));
    }
}

/* Both end at the same time: 2 + x = 10 - x, if asking takes none. */
TEST(shares_by_throughput_allow_for_messages)
{
    double throughput[] = {1, 1}, tasks[] = {10, 0};
    struct keel_migration_link link = {1, 0};
    struct keel_migration_simulation game = {.workers = 2,
                                             .throughput = throughput,
                                             .tasks = tasks,
                                             .link = &link,
                                             .links = 1,
                                             .alpha_s = 2};
    struct keel_migration_result result = play(&game);

    assert_true(result.moves == 1 && is_near(result.finish_s, 6));
    assert_move(0, 0, 0, 1, 4);
    game.request_s = 3; /* 7 are left: x = (7 - 2) / 2 */
    result = play(&game);
    assert_move(0, 3, 0, 1, 2.5);
    assert_true(is_near(result.finish_s, 7.5) && is_near(finish_s[1], 7.5));
}

/* Worker 2 asks worker 1 in vain, whose tasks are on their way, and gets some of them as they come.
 * Both are through at 3.25, when worker 0 has 1.25 left. */
TEST(who_asked_in_vain_gets_a_part_later)
{
    double throughput[] = {1, 1, 1}, tasks[] = {8, 0, 0};
    struct keel_migration_link link[] = {{1, 0}, {2, 1}};
    struct keel_migration_simulation game = {.workers = 3,
                                             .throughput = throughput,
                                             .tasks = tasks,
                                             .link = link,
                                             .links = 2,
                                             .alpha_s = 1};
    struct keel_migration_result result = play(&game);

    assert_int_equal(result.moves, 3);
    assert_move(0, 0, 0, 1, 3.5);
    assert_move(1, 1, 1, 2, 1.25);
    assert_move(2, 3.25, 0, 1, 0.125);
    assert_true(finish_s[0] == 4.375 && finish_s[1] == 4.375 && finish_s[2] == 3.25);
    assert_int_equal(result.requests, 2 + 2 + 1);
}

/* Worker 0 has 6 tasks of 2 s, the others 6 of none. Both have asked when it begins its second one
 * and has 4 more: 2 go to worker 1, 1 of the other 2 to worker 2. */
TEST(whole_tasks_are_handed_over_between_two)
{
    double throughput[] = {1, 1, 1}, cost[18] = {0};
    struct keel_migration_link link[] = {{1, 0}, {2, 0}};
    struct keel_migration_simulation game = {.workers = 3,
                                             .throughput = throughput,
                                             .cost = cost,
                                             .count = 18,
                                             .link = link,
                                             .links = 2};

    for (int t = 0; t < 18; t += 3) {
        cost[t] = 2;
    }
    struct keel_migration_result result = play(&game);
    assert_int_equal(result.moves, 2);
    assert_move(0, 2, 0, 1, 2);
    assert_move(1, 2, 0, 2, 1);
    assert_true(finish_s[0] == 6 && finish_s[1] == 6 && finish_s[2] == 4);
    assert_true(result.ideal_s == 4);
    assert_int_equal(result.requests, 4);
}

/* Pairs (1, 4) and (2, 3); both have 5, so the less balanced one is on the left. */
TEST(links_follow_the_cluster_tree)
{
    static const struct keel_migration_link wanted[] = {{3, 0}, {2, 1}, {1, 3}};
    struct keel_migration_link link[6];
    void *scratch = malloc(keel_migration_tree_scratch(4));

    assert_int_equal(keel_migration_tree_links(4, K7_THROUGHPUT, false, link, scratch), 3);
    for (int l = 0; l < 3; l++) {
        assert_int_equal(link[l].asker, wanted[l].asker);
        assert_int_equal(link[l].partner, wanted[l].partner);
    }
    assert_int_equal(keel_migration_tree_links(4, K7_THROUGHPUT, true, link, scratch), 6);
    for (int l = 0; l < 3; l++) {
        assert_int_equal(link[2 * l].asker, wanted[l].asker);
        assert_int_equal(link[2 * l + 1].asker, wanted[l].partner);
        assert_int_equal(link[2 * l + 1].partner, wanted[l].asker);
    }
    assert_int_equal(keel_migration_tree_links(1, NULL, true, link, scratch), 0);
    free(scratch);
}

TEST(nothing_to_do_takes_no_time)
{
    double throughput[] = {1, 2}, tasks[] = {0, 0}, cost[] = {0, 0, 0};
    struct keel_migration_link link[] = {{1, 0}, {0, 1}};
    struct keel_migration_simulation game = {
        .workers = 2, .throughput = throughput, .tasks = tasks, .link = link, .links = 2};
    struct keel_migration_result result = play(&game);

    assert_true(result.finish_s == 0 && result.ideal_s == 0 && result.moves == 0);
    assert_true(result.requests == 2);
    game.cost = cost;
    result = play(&game);
    assert_true(result.finish_s == 0);
    game.count = 3;
    result = play(&game);
    assert_true(result.finish_s == 0 && result.ideal_s == 0);
}

/* --- the oscillating load: the oscillating-load model by hand, and what goes into it --- */

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
    allow_exceptions();
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
