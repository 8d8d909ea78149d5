/* Balancers: graphs, ideals and transfers by hand; what holds for any tasks; where they lead. */
#include <math.h>
#include <stddef.h>

#include "schedules/balance/neighbours.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 40
#define TRANSFERS_MAX (WORKERS_MAX * WORKERS_MAX)
#define GRAPHS (KEEL_GRAPH_ALL + 1)
#define KINDS (KEEL_NEIGHBOURS_REDISTRIBUTION + 1)

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

/* --- graphs --- */

static bool is_edge(enum keel_graph graph, uint32_t workers, uint32_t from, uint32_t to)
{
    uint32_t degree = keel_neighbours_degree(graph, workers, from);

    for (uint32_t n = 0; n < degree; n++) {
        if (keel_neighbours_at(graph, workers, from, n) == to) {
            return true;
        }
    }
    return false;
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
}

/* --- any tasks --- */

struct setting {
    struct keel_neighbours balancers;
    double power[WORKERS_MAX];
    uint64_t tasks[WORKERS_MAX], sum;
};

static void draw_setting(struct draws *draws, struct setting *setting)
{
    uint32_t workers = 1 + (uint32_t)draws_below(draws, WORKERS_MAX);
    uint64_t most = draws_below(draws, 3) == 0 ? (uint64_t)1 << 47 : 100;

    *setting =
        (struct setting){.balancers = {.kind = (enum keel_neighbours_kind)draws_below(draws, KINDS),
                                       .graph = (enum keel_graph)draws_below(draws, GRAPHS),
                                       .workers = workers,
                                       .threshold = 1 + 0.1 * (double)draws_below(draws, 5),
                                       .alpha = 0.1 * (double)draws_below(draws, 11),
                                       .seed = draws_next(draws)}};
    for (uint32_t w = 0; w < workers; w++) {
        setting->power[w] = 1 + (double)draws_below(draws, 8);
        setting->tasks[w] = draws_below(draws, 2) == 0 ? 0 : draws_below(draws, most);
        setting->sum += setting->tasks[w];
    }
    setting->balancers.power = draws_below(draws, 3) == 0 ? NULL : setting->power;
}

/* One step, checked. Returns the number of transfers. */
static size_t step_checked(struct setting *setting, uint64_t step)
{
    static struct keel_transfer transfer[TRANSFERS_MAX];
    const struct keel_neighbours *balancers = &setting->balancers;
    uint64_t wanted[WORKERS_MAX], sent[WORKERS_MAX] = {0}, sum = 0;
    size_t count =
        keel_neighbours_list(balancers, setting->tasks, step, wanted, transfer, TRANSFERS_MAX);

    assert_int_equal(keel_neighbours_list(balancers, setting->tasks, step, wanted, NULL, 0), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(
            is_edge(balancers->graph, balancers->workers, transfer[i].from, transfer[i].to));
        assert_true(transfer[i].tasks > 0);
        sent[transfer[i].from] += transfer[i].tasks;
    }
    for (uint32_t w = 0; w < balancers->workers; w++) {
        assert_true(sent[w] <= setting->tasks[w]);
    }
    keel_neighbours_apply(setting->tasks, transfer, count);
    for (uint32_t w = 0; w < balancers->workers; w++) {
        sum += setting->tasks[w];
    }
    assert_int_equal(sum, setting->sum);
    return count;
}

static double ideal_of(const struct setting *setting, uint32_t worker)
{
    double power = 0, own_power = setting->power[worker];

    if (setting->balancers.power == NULL) {
        return (double)setting->sum / setting->balancers.workers;
    }
    for (uint32_t w = 0; w < setting->balancers.workers; w++) {
        power += setting->power[w];
    }
    return (double)setting->sum * (own_power / power);
}

TEST(wanted_tasks_are_within_one_of_the_ideal)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 2000; times++) {
        struct setting setting;
        uint64_t wanted[WORKERS_MAX], sum = 0;
        draw_setting(&draws, &setting);
        keel_neighbours_wanted(&setting.balancers, setting.tasks, wanted);
        for (uint32_t w = 0; w < setting.balancers.workers; w++) {
            double ideal = ideal_of(&setting, w);
            assert_true(fabs((double)wanted[w] - ideal) <= 1 + 1e-12 * ideal);
            sum += wanted[w];
        }
        assert_int_equal(sum, setting.sum);
    }
}

/* --- where they lead --- */

/* In one step among all, in about as many as the graph is wide else. */
TEST(redistribution_reaches_what_is_wanted)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 1000; times++) {
        struct setting setting;
        uint64_t wanted[WORKERS_MAX];
        draw_setting(&draws, &setting);
        setting.balancers.kind = KEEL_NEIGHBOURS_REDISTRIBUTION;
        setting.balancers.threshold = 0;
        uint32_t workers = setting.balancers.workers;
        uint64_t steps = setting.balancers.graph == KEEL_GRAPH_ALL ? 1 : 2 * (uint64_t)workers;
        keel_neighbours_wanted(&setting.balancers, setting.tasks, wanted);
        for (uint64_t step = 0; step < steps; step++) {
            step_checked(&setting, step);
        }
        assert_memory_equal(setting.tasks, wanted, workers * sizeof(wanted[0]));
    }
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
