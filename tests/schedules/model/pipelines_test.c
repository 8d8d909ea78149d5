/* Pipelines: the model of blocks, and the round-robin model of processes beside others. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "schedules/model/pipeline.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 64

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
    static const struct {
        struct keel_pipeline pipeline;
        uint64_t size, blocks;
    } rows[] = {
        {{1, 100, 80, 3, 0.5}, 100, 1},      /* nobody to wait */
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
