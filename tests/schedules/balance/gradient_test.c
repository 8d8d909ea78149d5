/* The gradient model: proximities and transfers by hand, what neighbours tell each other, and where
 * transfers lead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/balance/neighbours.h"
#include "tests/support/draws.h"

#define WORKERS_MAX 40

static struct keel_neighbours gradient(enum keel_graph graph, uint32_t workers)
{
    return (struct keel_neighbours){
        .kind = KEEL_NEIGHBOURS_GRADIENT, .graph = graph, .workers = workers, .threshold = 1};
}

static void assert_sends(const struct keel_neighbours *balancers, const uint64_t *tasks,
                         uint32_t from, uint32_t to, uint64_t sent)
{
    uint64_t proximity[WORKERS_MAX];
    struct keel_transfer transfer;

    keel_neighbours_proximities(balancers, tasks, proximity);
    assert_true(keel_neighbours_gradient(balancers, tasks, proximity, from, &transfer));
    assert_int_equal(transfer.from, from);
    assert_int_equal(transfer.to, to);
    assert_int_equal(transfer.tasks, sent);
}

/* Shares of 8 in a ring of five: only worker 3 is light. */
static void tasks_go_towards_the_light_worker(void **state)
{
    static const uint64_t tasks[] = {10, 10, 10, 0, 10}, steps[] = {2, 2, 1, 0, 1};
    struct keel_neighbours balancers = gradient(KEEL_GRAPH_RING, 5);
    uint64_t proximity[5];

    (void)state;
    keel_neighbours_proximities(&balancers, tasks, proximity);
    assert_memory_equal(proximity, steps, sizeof steps);
    assert_sends(&balancers, tasks, 0, 4, 2); /* passes on what it gets at the next step */
    assert_sends(&balancers, tasks, 1, 2, 2);
    assert_sends(&balancers, tasks, 2, 3, 2);
    assert_sends(&balancers, tasks, 4, 3, 2);
}

static void a_light_worker_gets_no_more_than_it_lacks(void **state)
{
    struct keel_neighbours balancers = gradient(KEEL_GRAPH_ALL, 3);

    (void)state;
    assert_sends(&balancers, (uint64_t[]){5, 20, 5}, 1, 0, 5);
    balancers.power = (double[]){1, 2, 2}; /* shares of 6, 12 and 12 */
    assert_sends(&balancers, (uint64_t[]){5, 20, 5}, 1, 0, 1);
}

static void nothing_moves_where_nobody_is_light_or_heavy(void **state)
{
    static const uint64_t level[] = {9, 8, 8, 8, 8}, few[] = {11, 10, 10, 10, 4};
    struct keel_neighbours balancers = gradient(KEEL_GRAPH_RING, 5);
    uint64_t proximity[5];
    struct keel_transfer transfer;

    (void)state;
    keel_neighbours_proximities(&balancers, level, proximity);
    for (uint32_t w = 0; w < 5; w++) {
        assert_int_equal(proximity[w], 5);
        assert_false(keel_neighbours_gradient(&balancers, level, proximity, w, &transfer));
    }
    balancers.threshold = 1.25;
    keel_neighbours_proximities(&balancers, few, proximity);
    assert_false(keel_neighbours_gradient(&balancers, few, proximity, 0, &transfer));
}

static void one_worker_has_no_neighbours(void **state)
{
    struct keel_neighbours balancers = gradient(KEEL_GRAPH_MESH, 1);
    uint64_t proximity[1];
    struct keel_transfer transfer;

    (void)state;
    keel_neighbours_proximities(&balancers, (uint64_t[]){7}, proximity);
    assert_int_equal(proximity[0], 1);
    assert_false(keel_neighbours_gradient(&balancers, (uint64_t[]){7}, proximity, 0, &transfer));
}

static void draw_tasks(struct draws *draws, uint32_t workers, uint64_t *tasks)
{
    for (uint32_t w = 0; w < workers; w++) {
        tasks[w] = draws_below(draws, 4) == 0 ? 0 : draws_below(draws, 100);
    }
}

/* Until nobody is light, or nobody has a whole task beyond its share. */
static void tasks_stay_the_same_sum_and_become_level(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int i = 0; i < 300; i++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, WORKERS_MAX);
        struct keel_neighbours balancers = gradient((enum keel_graph)(i % 3), workers);
        uint64_t tasks[WORKERS_MAX], room[WORKERS_MAX], sum = 0, after = 0, steps = 0;
        struct keel_transfer transfer[WORKERS_MAX];
        size_t transfers;
        draw_tasks(&draws, workers, tasks);
        for (uint32_t w = 0; w < workers; w++) {
            sum += tasks[w];
        }
        while ((transfers = keel_neighbours_list(&balancers, tasks, steps, room, transfer,
                                                 WORKERS_MAX)) > 0) {
            assert_true(transfers <= workers && steps++ < 1000);
            keel_neighbours_apply(tasks, transfer, transfers);
        }
        double ideal = (double)sum / workers;
        bool light = false, heavy = false;
        for (uint32_t w = 0; w < workers; w++) {
            after += tasks[w];
            light |= (double)tasks[w] <= ideal - 1;
            heavy |= (double)tasks[w] >= ideal + 1;
        }
        assert_true(after == sum && !(light && heavy));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_go_towards_the_light_worker),
        cmocka_unit_test(a_light_worker_gets_no_more_than_it_lacks),
        cmocka_unit_test(nothing_moves_where_nobody_is_light_or_heavy),
        cmocka_unit_test(one_worker_has_no_neighbours),
        cmocka_unit_test(tasks_stay_the_same_sum_and_become_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
