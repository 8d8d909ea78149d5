/* The matrix iterative model: what holds for any situation, tasks that come and leave, and what is
 * singular. */
#include <stdbool.h>
#include <stddef.h>

#include "schedules/model/iterative.h"
#include "tests/schedules/model/iterative_runs.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

/* --- any situation --- */

struct any {
    struct keel_iterative iterative;
    double power[WORKERS_MAX];
    uint64_t tasks[WORKERS_MAX];
};

static void draw(struct draws *draws, struct any *any)
{
    any->iterative = (struct keel_iterative){
        .workers = 1 + (uint32_t)draws_below(draws, WORKERS_MAX),
        .power = any->power,
        .tasks = any->tasks,
        .task = 0.1 * (double)draws_below(draws, 30),
        .steps = draws_below(draws, 20),
        .seed = draws_next(draws),
        .adjacent = draws_below(draws, 2),
        .balance_last = draws_below(draws, 2),
        .costs = {.decision_s = 0.1 * (double)draws_below(draws, 3),
                  .activation_s = 0.1 * (double)draws_below(draws, 3),
                  .message_s = 0.1 * (double)draws_below(draws, 3),
                  .task_s = 0.01 * (double)draws_below(draws, 3),
                  .exchange_s = 0.1 * (double)draws_below(draws, 3)},
    };
    for (int i = 0; i < WORKERS_MAX; i++) {
        any->power[i] = (double)(1 + draws_below(draws, 9));
        any->tasks[i] = draws_below(draws, 5) == 0 ? 0 : draws_below(draws, 200);
    }
}

static struct keel_iterative_rule draw_rule(struct draws *draws)
{
    return (struct keel_iterative_rule){
        .policy = &keel_iterative_policies[draws_below(draws, keel_iterative_policies_count)],
        .graph = (enum keel_graph)draws_below(draws, KEEL_GRAPH_ALL + 1),
        .threshold = 0.1 * (double)draws_below(draws, 16),
        .alpha = 0.1 * (double)draws_below(draws, 11),
        .gain = 0.1 * (double)draws_below(draws, 3),
    };
}

static uint64_t sum_of(uint32_t workers, const uint64_t *tasks)
{
    uint64_t sum = 0;

    for (uint32_t w = 0; w < workers; w++) {
        sum += tasks[w];
    }
    return sum;
}

static void check_sound(const struct keel_iterative_result *result)
{
    const double *number = (const double *)result;

    for (size_t i = 0; i < sizeof(*result) / sizeof(double); i++) {
        assert_true(number[i] >= 0); /* and no NaN */
    }
    assert_true(result->ideal_s <= result->time_s * (1 + 1e-12));
    assert_true(result->application_s <= result->time_s);
}

/* --- dynamics --- */

TEST(recorded_dynamics_are_applied_exactly)
{
    static const uint64_t arriving[] = {3, 0, 0, 0, 0, 5}, leaving[] = {0, 2, 1, 6, 0, 0};
    struct recorded recorded = {2, arriving, leaving};
    struct keel_iterative iterative = {
        .workers = 3,
        .tasks = (uint64_t[]){10, 4, 1},
        .task = 1,
        .steps = 1,
        .dynamics = {replay, &recorded},
    };
    struct keel_iterative_rule none = rule_of("none", KEEL_GRAPH_RING, 0);
    uint64_t last[3];

    run(&iterative, &none, last);
    assert_memory_equal(last, ((uint64_t[]){13, 2, 0}), sizeof(last));
    iterative.steps = 4; /* 10, 13, 7, 7 */
    struct keel_iterative_result result = run(&iterative, &none, last);
    assert_memory_equal(last, ((uint64_t[]){7, 2, 5}), sizeof(last));
    assert_true(is_near_unit(result.time_s, 37) &&
                is_near_unit(result.single_s, 15 + 15 + 14 + 14));
    recorded.leaving = NULL;
    run(&iterative, &none, last);
    assert_memory_equal(last, ((uint64_t[]){13, 4, 6}), sizeof(last));
    recorded = (struct recorded){2, NULL, leaving};
    iterative.tasks = (uint64_t[]){2, 1, 1};
    run(&iterative, &none, last); /* no more than there are */
    assert_memory_equal(last, ((uint64_t[]){0, 0, 0}), sizeof(last));
}

TEST(leaving_tasks_preserve_their_sum_under_any_rule)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 1000; times++) {
        struct any any;
        uint64_t last[WORKERS_MAX];
        struct keel_iterative_leaving leaving = {0.1 * (double)draws_below(&draws, 11),
                                                 (enum keel_graph)draws_below(&draws, 3),
                                                 draws_next(&draws)};
        draw(&draws, &any);
        any.iterative.dynamics =
            (struct keel_iterative_dynamics){keel_iterative_dynamics_leave, &leaving};
        struct keel_iterative_rule rule = draw_rule(&draws);
        struct keel_iterative_result result = run(&any.iterative, &rule, last);
        check_sound(&result);
        assert_int_equal(sum_of(any.iterative.workers, last),
                         sum_of(any.iterative.workers, any.tasks));
    }
}
