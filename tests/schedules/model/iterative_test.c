/* The matrix iterative model: steps of three workers, times and choices by hand; what holds for any
 * situation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/balance/decide.h"
#include "schedules/model/iterative/choice.h"
#include "schedules/model/iterative/dynamics.h"
#include "schedules/model/iterative/iterative.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"

#define WORKERS_MAX 20
#define RULES_MAX 100

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

/* --- policies and rules --- */

static void policies_are_found_by_name(void **state)
{
    static const char *const name[] = {"none",           "random", "diffusion",
                                       "redistribution", "rate",   "tree"};

    (void)state;
    assert_int_equal(keel_iterative_policies_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_ptr_equal(keel_iterative_policies_find(name[i]), &keel_iterative_policies[i]);
        assert_non_null(keel_iterative_policies[i].summary);
    }
    assert_null(keel_iterative_policies_find("rat"));
    assert_null(keel_iterative_policies_find(""));
}

static void standard_candidates_are_all_policies_once(void **state)
{
    struct keel_iterative_rule rule[7] = {{0}};

    (void)state;
    assert_int_equal(keel_iterative_choice_auto(KEEL_GRAPH_MESH, rule, 7), 6);
    for (size_t i = 0; i < 6; i++) {
        assert_ptr_equal(rule[i].policy, &keel_iterative_policies[i]);
        assert_int_equal(rule[i].graph, KEEL_GRAPH_MESH);
        assert_true(rule[i].gain == KEEL_DECIDE_GAIN && rule[i].threshold == 0);
    }
    assert_null(rule[6].policy);
    rule[2].policy = NULL;
    assert_int_equal(keel_iterative_choice_auto(KEEL_GRAPH_ALL, rule, 2), 6);
    assert_int_equal(rule[1].graph, KEEL_GRAPH_ALL);
    assert_null(rule[2].policy);
}

static void grid_has_each_value_of_each_parameter(void **state)
{
    struct keel_iterative_rule rule[RULES_MAX];
    double threshold = 0, alpha = 0, gain = 0;
    size_t count = keel_iterative_choice_grid(KEEL_GRAPH_RING, rule, RULES_MAX);

    (void)state;
    assert_int_equal(count, 1 + 6 * 10 + 6 + 6 + 3 + 3);
    for (size_t i = 1; i <= 60; i++) { /* random */
        assert_string_equal(rule[i].policy->name, "random");
        threshold += rule[i].threshold;
        alpha += rule[i].alpha;
        for (size_t j = 1; j < i; j++) {
            assert_true(rule[i].threshold != rule[j].threshold || rule[i].alpha != rule[j].alpha);
        }
    }
    for (size_t i = count - 3; i < count; i++) {
        assert_string_equal(rule[i].policy->name, "tree");
        gain += rule[i].gain;
    }
    assert_true(is_near_unit(threshold, 60 * 1.25) && is_near_unit(alpha, 60 * 0.55) &&
                is_near_unit(gain, 0.15));
}

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
    keel_iterative_matrix(3, tasks, transfer, transfers, m, a);
    for (int i = 0; i < 3; i++) {
        w[i] = (double)tasks[i];
        assert_true(a[i] == A[i]);
    }
    for (int i = 0; i < 9; i++) {
        assert_true(is_near_unit(m[i], M[i]));
    }
    keel_iterative_step(3, w, m, a, NULL, NULL, next);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(last[i], after[i]);
        assert_true(is_near_unit(next[i], (double)after[i]));
    }
}

/* w* = 4: worker 0 sends half of 10 - 4 to one of the others. */
static void random_by_hand(void **state)
{
    static const uint64_t tasks[] = {10, 2, 0};
    static const double power[] = {1, 1, 1}, A[] = {1, 0, 0};
    struct keel_iterative_rule rule = rule_of("random", KEEL_GRAPH_RING, 1);
    struct keel_iterative iterative = {.workers = 3, .power = power, .tasks = tasks, .steps = 1};
    uint64_t last[3];

    (void)state;
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
static void diffusion_by_hand(void **state)
{
    struct keel_iterative_rule rule = rule_of("diffusion", KEEL_GRAPH_RING, 1);

    (void)state;
    check_step(&rule, (uint64_t[]){12, 0, 0}, (double[]){1, 2, 3},
               (double[]){-10 / 12.0, 4 / 12.0, 6 / 12.0, 0, 0, 0, 0, 0, 0}, (double[]){1, 0, 0},
               (uint64_t[]){2, 4, 6});
}

/* wbar = 3, 3, 6 */
static void redistribution_by_hand(void **state)
{
    struct keel_iterative_rule rule = rule_of("redistribution", KEEL_GRAPH_ALL, 1.2);
    static const uint64_t tasks[] = {5, 7, 0};
    static const double power[] = {1, 1, 2};

    (void)state;
    check_step(&rule, tasks, power, (double[]){-0.4, 0, 0.4, 0, -4 / 7.0, 4 / 7.0, 0, 0, 0},
               (double[]){1, 1, 0}, (uint64_t[]){3, 3, 6});
    rule.threshold = 2.4; /* 7.2 */
    check_step(&rule, tasks, power, (double[9]){0}, (double[3]){0}, tasks);
}

/* 16 / 12: the time falls by a quarter. */
static void rate_moves_what_gains_enough(void **state)
{
    static const uint64_t tasks[] = {16, 8, 12};
    static const double power[] = {1, 1, 1};
    struct keel_iterative_rule rule = rule_of("rate", KEEL_GRAPH_RING, 0);

    (void)state;
    rule.gain = 0.25;
    check_step(&rule, tasks, power, (double[]){-0.25, 0.25, 0, 0, 0, 0, 0, 0, 0},
               (double[]){1, 0, 0}, (uint64_t[]){12, 12, 12});
    rule.gain = 0.26;
    check_step(&rule, tasks, power, (double[9]){0}, (double[3]){0}, tasks);
    rule.gain = 0; /* 1, 2, 1 would be no better */
    check_step(&rule, (uint64_t[]){2, 1, 1}, power, (double[9]){0}, (double[3]){0},
               (uint64_t[]){2, 1, 1});
}

/* K7: all end together. What 1 and 2 have too much goes to the first shortage: in three messages
 * where partners alone would need two. */
static void tree_by_hand(void **state)
{
    struct keel_iterative iterative = {.workers = 4,
                                       .power = (double[]){1, 2, 3, 4},
                                       .tasks = (uint64_t[]){100, 100, 100, 100},
                                       .task = 1,
                                       .steps = 1};
    struct keel_iterative_rule rule = rule_of("tree", KEEL_GRAPH_RING, 0);
    uint64_t last[4];

    (void)state;
    struct keel_iterative_result result = run(&iterative, &rule, last);
    assert_memory_equal(last, ((uint64_t[]){40, 80, 120, 160}), sizeof(last));
    assert_true(result.transfers == 3 && result.tasks_moved == 80 && result.activations == 1);
}

static void f1_with_arrivals_and_departures(void **state)
{
    double next[3];

    (void)state;
    keel_iterative_step(3, (double[]){10, 4, 6}, (double[]){-0.5, 0.2, 0.3, 0.5, -0.5, 0, 1, 0, -1},
                        (double[]){1, 0, 1}, (double[]){1, 2, 3}, (double[]){4, 0, 1}, next);
    /* 10 - 5 + 6 + 1 - 4;  4 + 2 + 2;  6 + 3 - 6 + 3 - 1 */
    assert_true(is_near_unit(next[0], 8) && is_near_unit(next[1], 8) && is_near_unit(next[2], 5));
}

/* --- times --- */

static void times_by_hand(void **state)
{
    struct keel_iterative iterative = {
        .workers = 2,
        .power = (double[]){2, 1},
        .tasks = (uint64_t[]){4, 4},
        .task = 3,
        .steps = 3,
        .costs = {.decision_s = 0.25,
                  .activation_s = 2,
                  .message_s = 1,
                  .task_s = 0.25,
                  .exchange_s = 0.125},
    };
    struct keel_iterative_rule rule = rule_of("redistribution", KEEL_GRAPH_ALL, 1.1);
    uint64_t last[2];

    (void)state;
    rule.decision_s = 0.25;
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
    iterative.single_s = 70.25;
    assert_true(is_near_unit(run(&iterative, &rule, NULL).speedup, 2));
    rule = rule_of("none", KEEL_GRAPH_ALL, 0);
    rule.decision_s = 1;
    result = run(&iterative, &rule, last);
    assert_true(is_near_unit(result.time_s, 36 + 3 * 0.125) && result.balancing_s == 0);
    assert_true(last[0] == 4 && result.transfers == 0);
}

/* The latest worker is not always the one that computes longest. */
static void balancing_is_added_to_each_workers_time(void **state)
{
    struct keel_iterative iterative = {
        .workers = 3,
        .tasks = (uint64_t[]){6, 0, 0},
        .task = 0.5,
        .steps = 1,
        .costs = {.message_s = 1, .task_s = 0.5},
    };
    struct keel_iterative_rule rule = rule_of("redistribution", KEEL_GRAPH_ALL, 1);

    (void)state;
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

static void nothing(const void *context, uint32_t workers, uint64_t step, const uint64_t *tasks,
                    uint64_t *arriving, uint64_t *leaving)
{
    (void)context, (void)workers, (void)step, (void)tasks, (void)arriving, (void)leaving;
}

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

static void tasks_stay_and_no_time_beats_the_ideal(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int times = 0; times < 3000; times++) {
        struct any any;
        uint64_t last[WORKERS_MAX], again[WORKERS_MAX];
        draw(&draws, &any);
        struct keel_iterative_rule rule = draw_rule(&draws);
        struct keel_iterative_result result = run(&any.iterative, &rule, last);
        check_sound(&result);
        assert_int_equal(sum_of(any.iterative.workers, last),
                         sum_of(any.iterative.workers, any.tasks));
        /* going through all steps comes to the same */
        any.iterative.dynamics.change = nothing;
        struct keel_iterative_result slow = run(&any.iterative, &rule, again);
        assert_memory_equal(last, again, any.iterative.workers * sizeof *last);
        assert_true(is_near_unit(result.time_s, slow.time_s) &&
                    is_near_unit(result.ideal_s, slow.ideal_s));
        assert_true(is_near_unit(result.imbalance, slow.imbalance));
        assert_true(is_near_unit(result.transfers, slow.transfers));
        assert_true(is_near_unit(result.activations, slow.activations));
    }
}

/* The lists of all policies, as matrices. */
static void matrices_agree_with_transfers(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int times = 0; times < 1000; times++) {
        struct any any;
        struct keel_transfer transfer[WORKERS_MAX * WORKERS_MAX];
        double w[WORKERS_MAX], M[WORKERS_MAX * WORKERS_MAX], A[WORKERS_MAX], next[WORKERS_MAX];
        draw(&draws, &any);
        uint32_t workers = any.iterative.workers;
        struct keel_iterative_rule rule = draw_rule(&draws);
        if (rule.policy->list == NULL) {
            continue;
        }
        void *scratch = malloc(rule.policy->scratch != NULL ? rule.policy->scratch(workers) : 1);
        struct keel_iterative_view view = {&rule, workers, any.power, any.tasks, 3, 7, scratch};
        size_t transfers = rule.policy->list(&view, transfer, WORKERS_MAX * WORKERS_MAX);
        free(scratch);
        assert_true(transfers <= rule.policy->transfers(rule.graph, workers));
        keel_iterative_matrix(workers, any.tasks, transfer, transfers, M, A);
        for (uint32_t i = 0; i < workers; i++) {
            w[i] = (double)any.tasks[i];
        }
        keel_iterative_step(workers, w, M, A, NULL, NULL, next);
        keel_neighbours_apply(any.tasks, transfer, transfers);
        for (uint32_t i = 0; i < workers; i++) {
            assert_true(fabs(next[i] - (double)any.tasks[i]) < 1e-9);
        }
    }
}

/* --- dynamics --- */

static void recorded_dynamics_are_applied_exactly(void **state)
{
    static const uint64_t arriving[] = {3, 0, 0, 0, 0, 5}, leaving[] = {0, 2, 1, 6, 0, 0};
    struct keel_iterative_recorded recorded = {2, arriving, leaving};
    struct keel_iterative iterative = {
        .workers = 3,
        .tasks = (uint64_t[]){10, 4, 1},
        .task = 1,
        .steps = 1,
        .dynamics = {keel_iterative_dynamics_replay, &recorded},
    };
    struct keel_iterative_rule none = rule_of("none", KEEL_GRAPH_RING, 0);
    uint64_t last[3];

    (void)state;
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
    recorded = (struct keel_iterative_recorded){2, NULL, leaving};
    iterative.tasks = (uint64_t[]){2, 1, 1};
    run(&iterative, &none, last); /* no more than there are */
    assert_memory_equal(last, ((uint64_t[]){0, 0, 0}), sizeof(last));
}

/* Step 0 leaves 6 and 2 of 4 and 4. */
static void balancing_sees_tasks_before_or_after_dynamics(void **state)
{
    static const uint64_t arriving[] = {2, 0}, leaving[] = {0, 2};
    struct keel_iterative_recorded recorded = {1, arriving, leaving};
    struct keel_iterative iterative = {
        .workers = 2,
        .tasks = (uint64_t[]){4, 4},
        .steps = 1,
        .dynamics = {keel_iterative_dynamics_replay, &recorded},
    };
    struct keel_iterative_rule rule = rule_of("redistribution", KEEL_GRAPH_ALL, 1.1);
    uint64_t last[2];

    (void)state;
    run(&iterative, &rule, last);
    assert_memory_equal(last, ((uint64_t[]){6, 2}), sizeof(last));
    iterative.steps = 2;
    run(&iterative, &rule, last);
    assert_memory_equal(last, ((uint64_t[]){4, 4}), sizeof(last));
    iterative.steps = 1;
    iterative.balance_last = true;
    run(&iterative, &rule, last);
    assert_memory_equal(last, ((uint64_t[]){4, 4}), sizeof(last));
}

/* Eight of ten leave, and five are to be sent: two are. */
static void what_has_left_is_not_sent(void **state)
{
    static const uint64_t arriving[] = {0, 8}, leaving[] = {8, 0};
    struct keel_iterative_recorded recorded = {1, arriving, leaving};
    struct keel_iterative iterative = {
        .workers = 2,
        .tasks = (uint64_t[]){10, 0},
        .steps = 1,
        .dynamics = {keel_iterative_dynamics_replay, &recorded},
    };
    struct keel_iterative_rule rule = rule_of("redistribution", KEEL_GRAPH_ALL, 1);
    uint64_t last[2];

    (void)state;
    assert_true(run(&iterative, &rule, last).tasks_moved == 2);
    assert_memory_equal(last, ((uint64_t[]){0, 10}), sizeof(last));
}

static void leaving_tasks_go_to_neighbours_in_proportion(void **state)
{
    static const uint64_t tasks[] = {1000, 0, 2005, 0, 0};
    struct keel_iterative_leaving leaving = {.part = 0.1, .graph = KEEL_GRAPH_RING, .seed = 5};
    uint64_t in[5] = {0}, out[5] = {0}, rounded_up = 0;

    (void)state;
    keel_iterative_dynamics_leave(&leaving, 5, 0, tasks, in, out);
    assert_true(out[0] == 100 && out[1] == 0 && (out[2] == 200 || out[2] == 201));
    assert_int_equal(sum_of(5, in), sum_of(5, out));
    assert_true(in[0] == 0 && in[2] == 0);                       /* of 1, 4 and 1, 3 */
    assert_true(in[4] > 25 && in[4] < 75 && in[4] + 60 < in[1]); /* half of 100; of 300 */
    for (uint64_t step = 0; step < 1000; step++) {
        memset(in, 0, sizeof(in));
        keel_iterative_dynamics_leave(&leaving, 5, step, tasks, in, out);
        rounded_up += out[2] - 200;
    }
    assert_true(rounded_up > 400 && rounded_up < 600);
    leaving.part = 7;
    memset(in, 0, sizeof(in));
    keel_iterative_dynamics_leave(&leaving, 5, 0, tasks, in, out);
    assert_true(out[0] == 1000 && out[2] == 2005 && sum_of(5, in) == 3005);
    leaving.part = NAN;
    memset(in, 0, sizeof(in));
    keel_iterative_dynamics_leave(&leaving, 5, 0, tasks, in, out);
    assert_true(sum_of(5, in) == 0 && sum_of(5, out) == 0);
    leaving.part = 1;
    keel_iterative_dynamics_leave(&leaving, 1, 0, tasks, in, out);
    assert_true(out[0] == 0 && in[0] == 0);
}

static void leaving_tasks_preserve_their_sum_under_any_rule(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
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

/* --- a choice --- */

static size_t choose(const struct keel_iterative *iterative, const struct keel_iterative_rule *rule,
                     size_t rules, struct keel_iterative_result *result)
{
    size_t size = 0;

    for (size_t i = 0; i < rules; i++) {
        size_t bytes = keel_iterative_scratch(iterative->workers, &rule[i]);
        size = bytes > size ? bytes : size;
    }
    void *scratch = malloc(size);
    size_t best = keel_iterative_choice(iterative, rule, rules, result, scratch);
    free(scratch);
    return best;
}

/* 10 + 10 without balancing; 10 + 5 and a message. */
static void least_time_is_chosen(void **state)
{
    struct keel_iterative iterative = {.workers = 2,
                                       .tasks = (uint64_t[]){10, 0},
                                       .task = 1,
                                       .steps = 2,
                                       .costs = {.message_s = 4}};
    struct keel_iterative_rule rule[] = {rule_of("none", KEEL_GRAPH_ALL, 0),
                                         rule_of("redistribution", KEEL_GRAPH_ALL, 1),
                                         rule_of("rate", KEEL_GRAPH_ALL, 0)};
    struct keel_iterative_result result[3];

    (void)state;
    assert_int_equal(choose(&iterative, rule, 3, result), 1);
    assert_true(result[0].time_s == 20 && result[1].time_s == 19 && result[2].time_s == 19);
    iterative.costs.message_s = 6;
    assert_int_equal(choose(&iterative, rule, 3, result), 0);
    assert_true(result[0].time_s == 20 && result[1].time_s == 21);
    iterative.costs.message_s = 5; /* all alike: the first */
    assert_int_equal(choose(&iterative, rule, 3, result), 0);
    iterative.steps = 3;
    rule[1].decision_s = 0.5;
    assert_int_equal(choose(&iterative, rule, 3, result), 2);
}

/* --- what is singular --- */

static void nonsense_has_a_limit(void **state)
{
    static const double bad[] = {NAN, -1, INFINITY, 0};
    struct keel_iterative_rule rule[RULES_MAX];
    struct keel_iterative_result result[RULES_MAX];
    size_t rules = keel_iterative_choice_grid(KEEL_GRAPH_MESH, rule, RULES_MAX);

    (void)state;
    for (int i = 0; i < 4; i++) {
        double power[] = {bad[i], bad[i], 2}, none[] = {bad[i], bad[i], bad[i]};
        struct keel_iterative iterative = {.workers = 3,
                                           .power = power,
                                           .tasks = (uint64_t[]){5, 0, 1},
                                           .task = 1,
                                           .steps = 4,
                                           .costs = {bad[i], bad[i], bad[i], bad[i], bad[i]},
                                           .single_s = bad[i]};
        for (size_t r = 0; r < rules; r++) {
            rule[r].decision_s = bad[i];
        }
        choose(&iterative, rule, rules, result);
        for (size_t r = 0; r < rules; r++) {
            check_sound(&result[r]);
            assert_true(result[r].balancing_s == 0);
        }
        assert_true(isinf(result[0].time_s)); /* none: tasks without power */
        assert_true(result[0].speedup == 0);
        assert_true(isinf(result[0].limit));
        assert_true(isinf(result[rules - 1].time_s)); /* tree: only in the first step */
        iterative.steps = 0;
        choose(&iterative, rule, rules, result);
        assert_true(result[1].time_s == 0 && result[1].imbalance == 0);
        iterative.steps = 4;
        iterative.power = none;
        choose(&iterative, rule, rules, result);
        for (size_t r = 0; r < rules; r++) {
            check_sound(&result[r]);
            assert_true(isinf(result[r].time_s) && isinf(result[r].ideal_s));
        }
        iterative.task = bad[i];
        choose(&iterative, rule, rules, result);
        assert_true(result[0].time_s == 0 && result[0].ideal_s == 0 && result[0].imbalance == 0);
        iterative.power = NULL;
        iterative.task = 1;
        assert_int_equal(choose(&iterative, rule, 1, result), 0);
        assert_true(result[0].time_s == 20);
    }
}

/* Powerless workers get rid of their tasks. */
static void tasks_leave_workers_without_power(void **state)
{
    static const char *const name[] = {"redistribution", "rate", "tree"};
    struct keel_iterative iterative = {.workers = 4,
                                       .power = (double[]){0, 1, NAN, 3},
                                       .tasks = (uint64_t[]){100, 0, 100, 0},
                                       .task = 1,
                                       .steps = 5};
    uint64_t last[4];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct keel_iterative_rule rule = rule_of(name[i], KEEL_GRAPH_ALL, 1);
        run(&iterative, &rule, last);
        assert_memory_equal(last, ((uint64_t[]){0, 50, 0, 150}), sizeof(last));
    }
}

static void one_worker_and_no_tasks(void **state)
{
    struct keel_iterative iterative = {.workers = 1,
                                       .power = (double[]){4},
                                       .tasks = (uint64_t[]){8},
                                       .task = 2,
                                       .steps = 3,
                                       .costs = {1, 1, 1, 1, 1}};
    struct keel_iterative_rule rule[6];
    struct keel_iterative_result result[6];

    (void)state;
    keel_iterative_choice_auto(KEEL_GRAPH_ALL, rule, 6);
    assert_int_equal(choose(&iterative, rule, 6, result), 0);
    for (int i = 0; i < 6; i++) {
        assert_true(result[i].time_s == 12 && result[i].ideal_s == 12 && result[i].speedup == 1);
        assert_true(result[i].limit == 1 && result[i].imbalance == 0);
    }
    iterative = (struct keel_iterative){
        .workers = 3, .tasks = (uint64_t[]){0, 0, 0}, .task = 2, .steps = 3};
    assert_int_equal(choose(&iterative, rule, 6, result), 0);
    for (int i = 0; i < 6; i++) {
        check_sound(&result[i]);
        assert_true(result[i].time_s == 0 && result[i].speedup == 0 && result[i].limit == 3);
    }
}

/* So many steps as nobody could go through. */
static void calm_steps_are_not_gone_through(void **state)
{
    struct keel_iterative iterative = {
        .workers = 2, .tasks = (uint64_t[]){3, 1}, .task = 1, .steps = UINT64_C(1) << 60};
    struct keel_iterative_rule rule[6];
    struct keel_iterative_result result[6];

    (void)state;
    keel_iterative_choice_auto(KEEL_GRAPH_ALL, rule, 6);
    assert_int_equal(choose(&iterative, rule, 6, result), 1);
    assert_true(is_near_unit(result[0].time_s, 3 * 0x1p60) &&
                is_near_unit(result[5].time_s, 2 * 0x1p60));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_are_found_by_name),
        cmocka_unit_test(standard_candidates_are_all_policies_once),
        cmocka_unit_test(grid_has_each_value_of_each_parameter),
        cmocka_unit_test(random_by_hand),
        cmocka_unit_test(diffusion_by_hand),
        cmocka_unit_test(redistribution_by_hand),
        cmocka_unit_test(rate_moves_what_gains_enough),
        cmocka_unit_test(tree_by_hand),
        cmocka_unit_test(f1_with_arrivals_and_departures),
        cmocka_unit_test(times_by_hand),
        cmocka_unit_test(balancing_is_added_to_each_workers_time),
        cmocka_unit_test(tasks_stay_and_no_time_beats_the_ideal),
        cmocka_unit_test(matrices_agree_with_transfers),
        cmocka_unit_test(recorded_dynamics_are_applied_exactly),
        cmocka_unit_test(balancing_sees_tasks_before_or_after_dynamics),
        cmocka_unit_test(what_has_left_is_not_sent),
        cmocka_unit_test(leaving_tasks_go_to_neighbours_in_proportion),
        cmocka_unit_test(leaving_tasks_preserve_their_sum_under_any_rule),
        cmocka_unit_test(least_time_is_chosen),
        cmocka_unit_test(nonsense_has_a_limit),
        cmocka_unit_test(tasks_leave_workers_without_power),
        cmocka_unit_test(one_worker_and_no_tasks),
        cmocka_unit_test(calm_steps_are_not_gone_through),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
