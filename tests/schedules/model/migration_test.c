/* Migration: numbers by hand; simulated: who asks whom, what moves and when, and when all end. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "schedules/model/migration.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

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
