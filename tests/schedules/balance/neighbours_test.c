/* Balancers: ideals and transfers by hand, and where the gradient model leads. */
#include <math.h>
#include <stddef.h>

#include "schedules/balance/neighbours.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 40
#define TRANSFERS_MAX (WORKERS_MAX * WORKERS_MAX)

static void check_transfer(const struct keel_transfer *transfer, uint32_t from, uint32_t to,
                           uint64_t tasks)
{
    assert_int_equal(transfer->from, from);
    assert_int_equal(transfer->to, to);
    assert_int_equal(transfer->tasks, tasks);
}

/* What one worker sends at a step, the first `capacity` of it; returns how much that is. */
static size_t own(const struct keel_neighbours *balancers, const uint64_t *tasks, uint64_t step,
                  uint32_t worker, struct keel_transfer *transfer, size_t capacity)
{
    static struct keel_transfer all[TRANSFERS_MAX];
    uint64_t room[WORKERS_MAX];
    size_t some = 0;
    size_t count = keel_neighbours_list(balancers, tasks, step, room, all, TRANSFERS_MAX);

    for (size_t i = 0; i < count; i++) {
        if (all[i].from == worker) {
            if (some < capacity) {
                transfer[some] = all[i];
            }
            some++;
        }
    }
    return some;
}

/* --- ideals --- */

TEST(ideals_by_hand)
{
    static const uint64_t tasks[] = {10, 0, 2, 8};
    static const double power[] = {1, 2, 3, 4}, broken[] = {NAN, -1, 0, INFINITY};
    struct keel_neighbours balancers = {.graph = KEEL_GRAPH_RING, .workers = 4, .power = power};
    uint64_t wanted[4];

    keel_neighbours_wanted(&balancers, tasks, wanted);
    assert_memory_equal(wanted, ((uint64_t[]){2, 4, 6, 8}), sizeof(wanted));
    balancers.power = NULL;
    keel_neighbours_wanted(&balancers, (uint64_t[]){0, 0, 2, 0}, wanted); /* 0.5 1 1.5 2 */
    assert_memory_equal(wanted, ((uint64_t[]){1, 0, 1, 0}), sizeof(wanted));
    balancers.power = broken;
    keel_neighbours_wanted(&balancers, tasks, wanted);
    assert_memory_equal(wanted, ((uint64_t[]){5, 5, 5, 5}), sizeof(wanted));
    balancers.power = (double[]){NAN, 1, -3, 1};
    keel_neighbours_wanted(&balancers, tasks, wanted);
    assert_memory_equal(wanted, ((uint64_t[]){0, 10, 0, 10}), sizeof(wanted));
}

TEST(best_parameters_are_the_papers)
{
    static const struct {
        enum keel_neighbours_kind kind;
        uint32_t workers;
        double alpha, threshold;
    } rows[] = {
        {KEEL_NEIGHBOURS_RANDOM, 1, 0.9, 1},
        {KEEL_NEIGHBOURS_RANDOM, 2, 0.9, 1},
        {KEEL_NEIGHBOURS_RANDOM, 3, 0.7, 1},
        {KEEL_NEIGHBOURS_RANDOM, 8, 0.5, 1.1},
        {KEEL_NEIGHBOURS_RANDOM, 999, 0.5, 1.2},
        {KEEL_NEIGHBOURS_DIFFUSION, 4, 0.7, 1.1},
        {KEEL_NEIGHBOURS_DIFFUSION, 16, 0.5, 1.2},
        {KEEL_NEIGHBOURS_REDISTRIBUTION, 2, 0.9, 1.1},
        {KEEL_NEIGHBOURS_REDISTRIBUTION, 5, 0.5, 1.3},
        {KEEL_NEIGHBOURS_REDISTRIBUTION, 16, 0.5, 1.4},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_neighbours balancers = {.kind = rows[i].kind, .workers = rows[i].workers};
        keel_neighbours_set_best(&balancers);
        assert_true(balancers.alpha == rows[i].alpha);
        assert_true(balancers.threshold == rows[i].threshold);
    }
}

/* --- one step --- */

/* Each of 3 neighbours 1/3 of 3000 times, within 5 standard deviations; and again with the same
 * seed. */
TEST(random_neighbours_are_equally_likely)
{
    static const uint64_t tasks[] = {90, 0, 0, 0};
    struct draws draws = draws_begin();
    struct keel_neighbours balancers = {.graph = KEEL_GRAPH_ALL,
                                        .workers = 4,
                                        .alpha = 1,
                                        .threshold = 1,
                                        .seed = draws_next(&draws)};
    uint32_t times[4] = {0}, alike = 0, other = 0;
    struct keel_transfer transfer, again;

    for (uint64_t step = 0; step < 3000; step++) {
        assert_int_equal(own(&balancers, tasks, step, 0, &transfer, 1), 1);
        times[transfer.to]++;
        own(&balancers, tasks, step, 0, &again, 1);
        alike += transfer.to == again.to;
        balancers.seed++;
        own(&balancers, tasks, step, 0, &again, 1);
        balancers.seed--;
        other += transfer.to == again.to;
    }
    assert_int_equal(times[0], 0);
    for (int w = 1; w < 4; w++) {
        assert_in_range(times[w], 871, 1129);
    }
    assert_int_equal(alike, 3000);
    assert_in_range(other, 871, 1129);
}

TEST(diffusion_fills_what_neighbours_lack)
{
    static const uint64_t tasks[] = {2, 20, 8, 0};
    struct keel_neighbours balancers = {
        .kind = KEEL_NEIGHBOURS_DIFFUSION, .graph = KEEL_GRAPH_RING, .workers = 4, .threshold = 1};
    struct keel_transfer transfer[3];

    /* wtilde of 1: 10; 0 lacks 8, 2 lacks 2 */
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 3), 2);
    check_transfer(&transfer[0], 1, 0, 8);
    check_transfer(&transfer[1], 1, 2, 2);
    assert_int_equal(own(&balancers, tasks, 0, 0, transfer, 3), 0);
    /* wtilde of 2: 28/3 > 8 */
    assert_int_equal(own(&balancers, tasks, 0, 2, transfer, 3), 0);
    balancers.threshold = 1.99;
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 3), 2);
    balancers.threshold = 2; /* not beyond w* */
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 3), 0);
    /* powers 1:1:2: wtilde of 1 is 7.5; 0 lacks 5.5, 2 lacks 7; of 12 they get 5.28 and 6.72 */
    balancers.threshold = 1.2;
    balancers.power = (double[]){1, 1, 2, 1};
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 1), 2);
    check_transfer(&transfer[0], 1, 0, 5);
    /* without power everything goes; both others' share is 15 */
    balancers.power = (double[]){1, 0, 1, 1};
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 3), 2);
    check_transfer(&transfer[0], 1, 0, 13);
    check_transfer(&transfer[1], 1, 2, 7);
}

static size_t redistribute(enum keel_graph graph, uint32_t workers, const uint64_t *tasks,
                           double threshold, struct keel_transfer *transfer)
{
    struct keel_neighbours balancers = {.kind = KEEL_NEIGHBOURS_REDISTRIBUTION,
                                        .graph = graph,
                                        .workers = workers,
                                        .threshold = threshold};
    uint64_t wanted[WORKERS_MAX];

    return keel_neighbours_list(&balancers, tasks, 0, wanted, transfer, WORKERS_MAX);
}

TEST(redistribution_by_hand)
{
    static const uint64_t tasks[] = {14, 4, 6, 4, 2, 0}; /* 5 each */
    struct keel_transfer transfer[WORKERS_MAX];

    assert_int_equal(redistribute(KEEL_GRAPH_ALL, 6, tasks, 2.8, transfer), 0);
    assert_int_equal(redistribute(KEEL_GRAPH_ALL, 6, tasks, 2.7, transfer), 5);
    check_transfer(&transfer[0], 0, 1, 1);
    check_transfer(&transfer[1], 0, 3, 1);
    check_transfer(&transfer[2], 0, 4, 3);
    check_transfer(&transfer[3], 0, 5, 4);
    check_transfer(&transfer[4], 2, 5, 1);
    /* partial sums 9 8 9 8 5 0; less a median, 8: 1 0 1 0 -3 -8 */
    assert_int_equal(redistribute(KEEL_GRAPH_RING, 6, tasks, 1, transfer), 3);
    check_transfer(&transfer[0], 0, 5, 8);
    check_transfer(&transfer[1], 0, 1, 1);
    check_transfer(&transfer[2], 2, 3, 1);
    /* 2 rows of 3: 9 go down, 3 in each column; 1 and 2 have enough to pass on */
    assert_int_equal(redistribute(KEEL_GRAPH_MESH, 6, tasks, 1, transfer), 7);
    check_transfer(&transfer[0], 0, 1, 6);
    check_transfer(&transfer[1], 0, 3, 3);
    check_transfer(&transfer[2], 1, 2, 2);
    check_transfer(&transfer[3], 1, 4, 2); /* of 3: all that it has */
    check_transfer(&transfer[4], 2, 5, 3);
    check_transfer(&transfer[5], 3, 4, 2);
    check_transfer(&transfer[6], 4, 5, 2);
    /* 2 rows of 2: up in each column */
    assert_int_equal(redistribute(KEEL_GRAPH_MESH, 4, (uint64_t[]){0, 0, 4, 4}, 1, transfer), 2);
    check_transfer(&transfer[0], 2, 0, 2);
    check_transfer(&transfer[1], 3, 1, 2);
}

/* --- the gradient model --- */

static struct keel_neighbours gradient(enum keel_graph graph, uint32_t workers)
{
    return (struct keel_neighbours){
        .kind = KEEL_NEIGHBOURS_GRADIENT, .graph = graph, .workers = workers, .threshold = 1};
}

static void draw_tasks(struct draws *draws, uint32_t workers, uint64_t *tasks)
{
    for (uint32_t w = 0; w < workers; w++) {
        tasks[w] = draws_below(draws, 4) == 0 ? 0 : draws_below(draws, 100);
    }
}

/* Until nobody is light, or nobody has a whole task beyond its share. */
TEST(tasks_stay_the_same_sum_and_become_level)
{
    struct draws draws = draws_begin();

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
