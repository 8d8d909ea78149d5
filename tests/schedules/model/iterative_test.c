/* The matrix iterative model: policies, steps of three workers, and times by hand; tasks that come
 * and leave. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/model/iterative.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 20

static struct keel_iterative_rule rule_of(const char *name, enum keel_graph graph, double threshold)
{
    const struct keel_iterative_policy *policy = keel_iterative_policies_find(name);

    assert_non_null(policy);
    return (struct keel_iterative_rule){.policy = policy, .graph = graph, .threshold = threshold};
}

static struct keel_iterative_result run(const struct keel_iterative *iterative,
                                        const struct keel_iterative_rule *rule, uint64_t *last)
{
    void *scratch = malloc(keel_iterative_scratch(iterative->workers, rule));
    struct keel_iterative_result result = keel_iterative_run(iterative, rule, last, scratch);

    free(scratch);
    return result;
}

/* --- a step by hand --- */

/* What becomes of tasks in a step. */
static void check_step(const struct keel_iterative_rule *rule, const uint64_t *tasks,
                       const double *power, const uint64_t *after)
{
    struct keel_iterative iterative = {.workers = 3, .power = power, .tasks = tasks, .steps = 1};
    uint64_t last[3];

    run(&iterative, rule, last);
    assert_memory_equal(last, after, sizeof last);
}

/* w* = 4: worker 0 sends half of 10 - 4 to one of the others. */
TEST(random_by_hand)
{
    static const uint64_t tasks[] = {10, 2, 0};
    static const double power[] = {1, 1, 1};
    struct keel_iterative_rule rule = rule_of("random", KEEL_GRAPH_RING, 1);
    struct keel_iterative iterative = {.workers = 3, .power = power, .tasks = tasks, .steps = 1};
    uint64_t last[3];

    rule.alpha = 0.5;
    run(&iterative, &rule, last);
    assert_int_equal(last[0], 7);
    assert_true(last[1] == 5 ? last[2] == 0 : last[1] == 2 && last[2] == 3);
    rule.alpha = 0; /* as in the paper with up to four workers: 0.7 of 6 */
    run(&iterative, &rule, last);
    assert_int_equal(last[0], 6);
}

/* wtilde_0 = 12 / 6: 10 tasks go to who lacks 4 and who lacks 6. */
TEST(diffusion_by_hand)
{
    struct keel_iterative_rule rule = rule_of("diffusion", KEEL_GRAPH_RING, 1);

    check_step(&rule, (uint64_t[]){12, 0, 0}, (double[]){1, 2, 3}, (uint64_t[]){2, 4, 6});
}

/* wbar = 3, 3, 6 */
TEST(redistribution_by_hand)
{
    struct keel_iterative_rule rule = rule_of("redistribution", KEEL_GRAPH_ALL, 1.2);
    static const uint64_t tasks[] = {5, 7, 0};
    static const double power[] = {1, 1, 2};

    check_step(&rule, tasks, power, (uint64_t[]){3, 3, 6});
    rule.threshold = 2.4; /* 7.2 */
    check_step(&rule, tasks, power, tasks);
}

/* K7: all end together. What 1 and 2 have too much goes to the first shortage: in three messages
 * where partners alone would need two. */
TEST(tree_by_hand)
{
    struct keel_iterative iterative = {.workers = 4,
                                       .power = (double[]){1, 2, 3, 4},
                                       .tasks = (uint64_t[]){100, 100, 100, 100},
                                       .task = 1,
                                       .steps = 1};
    struct keel_iterative_rule rule = rule_of("tree", KEEL_GRAPH_RING, 0);
    uint64_t last[4];

    struct keel_iterative_result result = run(&iterative, &rule, last);
    assert_memory_equal(last, ((uint64_t[]){40, 80, 120, 160}), sizeof(last));
    assert_true(result.transfers == 3 && result.tasks_moved == 80 && result.activations == 1);
}

/* --- times --- */

TEST(times_by_hand)
{
    struct keel_iterative iterative = {
        .workers = 2,
        .power = (double[]){2, 1},
        .tasks = (uint64_t[]){4, 4},
        .task = 3,
        .steps = 3,
        .costs = {.decision_s = 0.5,
                  .activation_s = 2,
                  .message_s = 1,
                  .task_s = 0.25,
                  .exchange_s = 0.125},
    };
    struct keel_iterative_rule rule = rule_of("redistribution", KEEL_GRAPH_ALL, 1.1);
    uint64_t last[2];

    struct keel_iterative_result result = run(&iterative, &rule, last);
    assert_true(last[0] == 5 && last[1] == 3);
    /* 12 s with a message of a task, then 9 s twice: w_1 = 3 of 8/3 is over w*, but no better */
    assert_true(is_near_unit(result.time_s, 12 + 3.75 + 2 * 9.5 + 3 * 0.125));
    assert_true(is_near_unit(result.application_s, 30 + 3 * 0.125));
    assert_true(is_near_unit(result.balancing_s, 4.75));
    assert_true(is_near_unit(result.ideal_s, 24) && is_near_unit(result.single_s, 36));
    assert_true(is_near_unit(result.speedup, 36 / 35.125) &&
                is_near_unit(result.ideal_speedup, 1.5));
    assert_true(is_near_unit(result.limit, 1.5));
    assert_true(is_near_unit(result.imbalance, (0.5 + 0.125 + 0.125) / 3));
    assert_true(result.transfers == 1 && result.tasks_moved == 1 && result.activations == 1);
    rule = rule_of("none", KEEL_GRAPH_ALL, 0);
    result = run(&iterative, &rule, last);
    assert_true(is_near_unit(result.time_s, 36 + 3 * 0.125) && result.balancing_s == 0);
    assert_true(last[0] == 4 && result.transfers == 0);
}

/* The latest worker is not always the one that computes longest. */
TEST(balancing_is_added_to_each_workers_time)
{
    struct keel_iterative iterative = {
        .workers = 3,
        .tasks = (uint64_t[]){6, 0, 0},
        .task = 0.5,
        .steps = 1,
        .costs = {.message_s = 1, .task_s = 0.5},
    };
    struct keel_iterative_rule rule = rule_of("redistribution", KEEL_GRAPH_ALL, 1);

    struct keel_iterative_result result = run(&iterative, &rule, NULL);
    assert_true(is_near_unit(result.time_s, 3 + 2 + 2)); /* worker 0: two messages, four tasks */
    assert_true(result.transfers == 2 && result.tasks_moved == 4);
    iterative.adjacent = true; /* four tasks to worker 1, which hands two of them on */
    result = run(&iterative, &rule, NULL);
    assert_true(is_near_unit(result.time_s, 3 + 1 + 2));
    assert_true(result.transfers == 2 && result.tasks_moved == 6);
    iterative.task = 0; /* worker 1: two messages, six tasks */
    assert_true(is_near_unit(run(&iterative, &rule, NULL).time_s, 2 + 3));
}

/* --- dynamics --- */

/* What was recorded: steps x P values each, a step after the other. Nothing happens after the last
 * step. */
struct recorded {
    uint64_t steps;
    const uint64_t *arriving, *leaving; /* NULL: none */
};

static void replay(const void *recorded, uint32_t workers, uint64_t step, const uint64_t *tasks,
                   uint64_t *arriving, uint64_t *leaving)
{
    const struct recorded *record = recorded;
    size_t bytes = workers * sizeof(uint64_t);

    (void)tasks;
    if (step < record->steps && record->arriving != NULL) {
        memcpy(arriving, record->arriving + step * workers, bytes);
    }
    if (step < record->steps && record->leaving != NULL) {
        memcpy(leaving, record->leaving + step * workers, bytes);
    }
}

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
