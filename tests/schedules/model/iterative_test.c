/* Models of workers that wait for each other: the matrix iterative model, pipelines, and processes
 * beside others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/model/iterative.h"
#include "schedules/model/pipeline.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- the matrix iterative model: policies, steps of three workers, and times by hand; tasks
 * that come and leave --- */

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

    allow_exceptions(); /* `keel model` runs it, no program */
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

/* --- pipelines and processes beside others: pipelines: the model of blocks, and the
 * round-robin model of processes beside others --- */

/* --- blocks by hand --- */

TEST(times_of_blocks)
{
    struct keel_pipeline pipeline = {4, 100, 80, 3, 0.5};

    /* 5 blocks: 8 times 80/20, 7 times 3 + 0.5 20 */
    assert_true(keel_pipeline_block_time(&pipeline, 20) == 32 + 91);
    /* 30 30 30 10: 20 (1 + 3 0.3), 6 times 3, 180 times 0.5 */
    assert_true(is_within(keel_pipeline_block_time(&pipeline, 30), 38 + 18 + 90, 1e-12));
    /* sqrt((80 3/4 + 0.5 100 2) / 3) */
    assert_true(is_within(keel_pipeline_best_blocks(&pipeline), 7.302967433402215, 1e-12));
    assert_true(keel_pipeline_bound(5, 4) == 0.625);
    assert_true(keel_pipeline_bound(7, 1) == 1);
}

TEST(limits)
{
    allow_exceptions();
    static const struct {
        struct keel_pipeline pipeline;
        uint64_t size, blocks;
    } rows[] = {
        {{1, 100, 80, 3, 0.5}, 100, 1},      /* none to wait */
        {{4, 100, 80, 0, 0}, 1, 100},        /* messages cost nothing */
        {{4, 100, 80, 1e-300, 0}, 1, 100},   /* hardly anything */
        {{4, 100, 80, INFINITY, 0}, 100, 1}, /* everything */
        {{4, 100, 0, 3, 0}, 100, 1},         /* no work */
        {{4, 100, 0, 0, 0}, 100, 1},         /* nothing known */
        {{4, 100, NAN, NAN, NAN}, 100, 1},
        {{4, 100, 80, -1, -1}, 1, 100},
        {{4, 100, 80, NAN, 0}, 1, 100},
        {{4, 0, 80, 3, 0.5}, 1, 0},
        {{4, 1, 80, 3, 0.5}, 1, 1},
        {{4, 10, 80, 3, 0}, 2, 5},        /* M* 4.47: of 3 3 3 1 and 2 2 2 2 2 the latter */
        {{2, 100, 72, 9, 1000}, 50, 2},   /* two workers: t_incr is the same for any M */
        {{2, 1000, 169, 50, 0}, 1000, 1}, /* M* 1.3: 219 with 1, 226.75 with 2 */
        {{2, 10, 40, 3, 0}, 5, 2},        /* M* 2.6: 36 with 5 5, 37 with 4 4 2, 38 with 3 3 3 1 */
        {{2, 11, 17.8, 1, 0},
         4,
         3}, /* M* 2.98: 15.75 with 6 5, 15.14 with 4 4 3, 15.33 with 3 3 3 2 */
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_pipeline_blocks best = keel_pipeline_best(&rows[i].pipeline);
        assert_int_equal(best.size, rows[i].size);
        assert_int_equal(best.blocks, rows[i].blocks);
    }
    assert_true(keel_pipeline_best_blocks(&rows[5].pipeline) == 1);
    assert_true(keel_pipeline_block_time(&rows[0].pipeline, 7) == 80);
    assert_true(keel_pipeline_block_time(&rows[0].pipeline, 7) == 80);
    assert_true(keel_pipeline_block_time(&(struct keel_pipeline){4, 0, 80, 3, 0.5}, 7) == 20);
}

TEST(fixed_sizes_are_cut_off)
{
    static const struct {
        uint64_t elements, size, cut, blocks;
    } rows[] = {
        {100, 30, 30, 4}, {100, 0, 1, 100},   {100, 1000, 100, 1},
        {0, 5, 1, 0},     {100, 100, 100, 1}, {UINT64_MAX, 2, 2, (uint64_t)1 << 63},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_pipeline_blocks cut = keel_pipeline_cut(rows[i].elements, rows[i].size);
        assert_int_equal(cut.size, rows[i].cut);
        assert_int_equal(cut.blocks, rows[i].blocks);
    }
}

/* --- round robin: by hand, beside the pipeline model, and its limits --- */

#define PIPELINE KEEL_ROUND_ROBIN_PIPELINE
#define BARRIER KEEL_ROUND_ROBIN_BARRIER

static struct keel_round_robin_result play(const struct keel_round_robin *run)
{
    void *scratch = malloc(keel_round_robin_scratch(run->workers));
    struct keel_round_robin_result result = keel_round_robin_simulate(run, scratch);

    free(scratch);
    return result;
}

/* Worker 0 shares with another process and computes 0.6 of each 1.2 quanta. In its processor's
 * time, with the others' turns in brackets:
 *
 *     0 - 0.6 [0.6 - 1.6] - 2.2 [2.2 - 3.2] - 3.8 goes on - 4.2 [4.2 - 5.2] - 5.4
 *     worker 1: 0 - 1.2 - 2.4 - 3.6 waits until 3.8 - 5.0
 *
 * The fourth block begins at 3.8, when worker 0 has 0.4 of its turn left and needs 0.2 more. */
TEST(barriers_by_hand)
{
    struct keel_round_robin run = {.kind = BARRIER,
                                   .workers = 2,
                                   .competing = (uint32_t[]){1, 0},
                                   .sequential = 4 * 1.8,
                                   .grain = 1.2};
    struct keel_round_robin_result result = play(&run);

    assert_int_equal(result.blocks, 4);
    assert_true(is_near(result.available, 1.5));
    assert_true(is_near(result.elapsed, 5.4));
    run.sequential = 3 * 1.8;
    result = play(&run);
    assert_true(is_near(result.elapsed, 3.8));
    assert_true(is_near(result.fair, 5.4 / (1.5 * 3.8)));
    assert_true(result.bound == 1);
}

/* Worker 1 computes for half a quantum: 1 - 1.5 [1.5 - 2.5] - 3 goes on - 3.5 */
TEST(pipelines_by_hand)
{
    struct keel_round_robin run = {.kind = PIPELINE,
                                   .workers = 2,
                                   .competing = (uint32_t[]){0, 1},
                                   .sequential = 4.5,
                                   .grain = 1};
    struct keel_round_robin_result result = play(&run);

    assert_int_equal(result.blocks, 3);
    assert_true(is_near(result.elapsed, 3.5));
    assert_true(is_near(result.bound, 0.75));
}

/* Of two others, one is in the midst of its turn when a block comes at 1.5, and the other one comes
 * before worker 1: [0 - 3] - 3.5 goes on - 4, where the turn ends; the third block comes at 4.5:
 * [4 - 6] - 6.5. */
TEST(a_process_that_waits_goes_behind_all_others)
{
    struct keel_round_robin run = {.kind = PIPELINE,
                                   .workers = 2,
                                   .competing = (uint32_t[]){0, 2},
                                   .sequential = 3 * 2,
                                   .grain = 1.5};

    assert_true(is_near(play(&run).elapsed, 6.5));
}

TEST(grains_out_of_range_end)
{
    for (int kind = 0; kind < 2; kind++) {
        struct keel_round_robin run = {.kind = kind ? BARRIER : PIPELINE,
                                       .workers = 1,
                                       .competing = (const uint32_t[]){0},
                                       .sequential = 200};
        assert_int_equal(play(&run).blocks, 1);
        assert_true(play(&run).elapsed == 200);
        run.grain = 1e-300;
        assert_int_equal(play(&run).blocks, KEEL_ROUND_ROBIN_BLOCKS_MAX);
        run.grain = INFINITY;
        assert_int_equal(play(&run).blocks, 1);
    }
}
