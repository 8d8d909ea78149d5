/* The matrix iterative model: policies, steps of three workers, and times by hand. */
#include <stdbool.h>
#include <stddef.h>

#include "schedules/model/iterative.h"
#include "tests/schedules/model/iterative_runs.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

/* --- a step by hand --- */

/* What the policy's transfers make of tasks, by lists and by matrices; M: as expected. */
static void check_step(const struct keel_iterative_rule *rule, const uint64_t *tasks,
                       const double *power, const double *M, const double *A, const uint64_t *after)
{
    struct keel_iterative iterative = {.workers = 3, .power = power, .tasks = tasks, .steps = 1};
    struct keel_transfer transfer[9];
    uint64_t last[3], wanted[64];
    double w[3], m[9], a[3], next[3];
    struct keel_iterative_view view = {rule, 3, power, tasks, 0, 0, wanted};

    run(&iterative, rule, last);
    size_t transfers = rule->policy->list(&view, transfer, 9);
    set_matrix(3, tasks, transfer, transfers, m, a);
    for (int i = 0; i < 3; i++) {
        w[i] = (double)tasks[i];
        assert_true(a[i] == A[i]);
    }
    for (int i = 0; i < 9; i++) {
        assert_true(is_near_unit(m[i], M[i]));
    }
    step_by_matrix(3, w, m, a, next);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(last[i], after[i]);
        assert_true(is_near_unit(next[i], (double)after[i]));
    }
}

/* w* = 4: worker 0 sends half of 10 - 4 to one of the others. */
TEST(random_by_hand)
{
    static const uint64_t tasks[] = {10, 2, 0};
    static const double power[] = {1, 1, 1}, A[] = {1, 0, 0};
    struct keel_iterative_rule rule = rule_of("random", KEEL_GRAPH_RING, 1);
    struct keel_iterative iterative = {.workers = 3, .power = power, .tasks = tasks, .steps = 1};
    uint64_t last[3];

    rule.alpha = 0.5;
    run(&iterative, &rule, last);
    if (last[1] == 5) {
        check_step(&rule, tasks, power, (double[]){-0.3, 0.3, 0, 0, 0, 0, 0, 0, 0}, A,
                   (uint64_t[]){7, 5, 0});
    } else {
        check_step(&rule, tasks, power, (double[]){-0.3, 0, 0.3, 0, 0, 0, 0, 0, 0}, A,
                   (uint64_t[]){7, 2, 3});
    }
    rule.alpha = 0; /* as in the paper with up to four workers: 0.7 of 6 */
    run(&iterative, &rule, last);
    assert_int_equal(last[0], 6);
}

/* wtilde_0 = 12 / 6: 10 tasks go to who lacks 4 and who lacks 6. */
TEST(diffusion_by_hand)
{
    struct keel_iterative_rule rule = rule_of("diffusion", KEEL_GRAPH_RING, 1);

    check_step(&rule, (uint64_t[]){12, 0, 0}, (double[]){1, 2, 3},
               (double[]){-10 / 12.0, 4 / 12.0, 6 / 12.0, 0, 0, 0, 0, 0, 0}, (double[]){1, 0, 0},
               (uint64_t[]){2, 4, 6});
}

/* wbar = 3, 3, 6 */
TEST(redistribution_by_hand)
{
    struct keel_iterative_rule rule = rule_of("redistribution", KEEL_GRAPH_ALL, 1.2);
    static const uint64_t tasks[] = {5, 7, 0};
    static const double power[] = {1, 1, 2};

    check_step(&rule, tasks, power, (double[]){-0.4, 0, 0.4, 0, -4 / 7.0, 4 / 7.0, 0, 0, 0},
               (double[]){1, 1, 0}, (uint64_t[]){3, 3, 6});
    rule.threshold = 2.4; /* 7.2 */
    check_step(&rule, tasks, power, (double[9]){0}, (double[3]){0}, tasks);
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
