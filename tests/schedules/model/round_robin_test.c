/* The round-robin model: traced by hand, and the shapes of Figures 11 and 13 of SS97. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/model/pipeline.h"
#include "schedules/model/round_robin.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"

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
static void barriers_by_hand(void **state)
{
    struct keel_round_robin run = {.kind = BARRIER,
                                   .workers = 2,
                                   .competing = (uint32_t[]){1, 0},
                                   .sequential = 4 * 1.8,
                                   .grain = 1.2};
    struct keel_round_robin_result result = play(&run);

    (void)state;
    assert_int_equal(result.blocks, 4);
    assert_true(is_near(result.available, 1.5));
    assert_true(is_near(result.elapsed, 5.4));
    run.sequential = 3 * 1.8;
    result = play(&run);
    assert_true(is_near(result.elapsed, 3.8));
    assert_true(is_near(result.competing, 3.8 - 1.8));
    assert_true(is_near(result.efficiency, 5.4 / (2 * 3.8 - 2)));
    assert_true(is_near(result.fair, 5.4 / (1.5 * 3.8)));
    assert_true(result.bound == 1);
}

/* Worker 1 computes for half a quantum: 1 - 1.5 [1.5 - 2.5] - 3 goes on - 3.5 */
static void pipelines_by_hand(void **state)
{
    struct keel_round_robin run = {.kind = PIPELINE,
                                   .workers = 2,
                                   .competing = (uint32_t[]){0, 1},
                                   .sequential = 4.5,
                                   .grain = 1};
    struct keel_round_robin_result result = play(&run);

    (void)state;
    assert_int_equal(result.blocks, 3);
    assert_true(is_near(result.elapsed, 3.5));
    assert_true(is_near(result.efficiency, 4.5 / (7 - (3.5 - 1.5))));
    assert_true(is_near(result.bound, 0.75));
}

/* Of two others, one is in the midst of its turn when a block comes at 1.5, and the other one comes
 * before worker 1: [0 - 3] - 3.5 goes on - 4, where the turn ends; the third block comes at 4.5:
 * [4 - 6] - 6.5. */
static void a_process_that_waits_goes_behind_all_others(void **state)
{
    struct keel_round_robin run = {.kind = PIPELINE,
                                   .workers = 2,
                                   .competing = (uint32_t[]){0, 2},
                                   .sequential = 3 * 2,
                                   .grain = 1.5};

    (void)state;
    assert_true(is_near(play(&run).elapsed, 6.5));
}

/* One worker: 0 - 1 [1 - 2] - 3 [3 - 4] - 5, in as many blocks as one likes. */
static void turns_end_after_a_quantum(void **state)
{
    struct keel_round_robin run = {
        .kind = BARRIER, .workers = 1, .competing = (uint32_t[]){1}, .sequential = 3};
    static const double grains[] = {6, 2, 1, 0.25, 0.7, 0};

    (void)state;
    for (size_t i = 0; i < sizeof grains / sizeof *grains; i++) {
        run.grain = grains[i];
        run.kind = i % 2 == 0 ? BARRIER : PIPELINE;
        struct keel_round_robin_result result = play(&run);
        assert_true(is_near(result.elapsed, 5) && is_near(result.competing, 2));
        assert_true(is_near(result.efficiency, 1) && is_near(result.fair, 1.2));
    }
}

/* Equal shares: worker 0 takes 0 - 1 [1 - 2] - 2.5 for as much as worker 1 does in 1.5. */
static void equal_shares_wait_for_the_loaded_worker(void **state)
{
    struct keel_round_robin run = {.kind = BARRIER,
                                   .workers = 2,
                                   .competing = (uint32_t[]){1, 0},
                                   .sequential = 3,
                                   .grain = 2,
                                   .equal = true};

    (void)state;
    assert_true(is_near(play(&run).elapsed, 2.5));
    run.equal = false;
    assert_true(is_near(play(&run).elapsed, 2));
}

static void without_competition_it_is_the_pipeline_model(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers < 9; workers++) {
        for (uint64_t blocks = 1; blocks < 50; blocks += 7) {
            struct keel_round_robin run = {
                .workers = workers, .sequential = 200, .grain = 200.0 / (double)(blocks * workers)};
            struct keel_pipeline pipeline = {
                .workers = workers, .elements = blocks, .sequential_s = 200};
            struct keel_round_robin_result result = play(&run);
            assert_int_equal(result.blocks, blocks);
            assert_true(is_near(result.elapsed, keel_pipeline_time(&pipeline, (double)blocks)));
            assert_true(is_near(result.efficiency, result.bound) && result.competing == 0);
            run.kind = BARRIER;
            assert_true(is_near(play(&run).elapsed, 200.0 / workers));
        }
    }
}

static const uint32_t loads[][4] = {{1, 0, 0, 0}, {2, 0, 0, 0}, {0, 0, 1, 0},
                                    {1, 1, 0, 0}, {0, 2, 0, 1}, {1, 1, 1, 1}};

#define LOADS (sizeof loads / sizeof *loads)

/* 4 workers, 200 quanta of work, as in both figures. */
static struct keel_round_robin_result figure(enum keel_round_robin_kind kind, size_t load,
                                             double grain, uint64_t seed)
{
    struct keel_round_robin run = {.kind = kind,
                                   .workers = 4,
                                   .competing = loads[load],
                                   .sequential = 200,
                                   .grain = grain,
                                   .seed = seed};

    return play(&run);
}

/* Figure 11 */
static void pipelines_stay_near_their_bound_for_any_grain(void **state)
{
    (void)state;
    for (size_t load = 0; load < LOADS; load++) {
        for (double grain = 0.05; grain < 10; grain *= 1.17) {
            for (uint64_t seed = 0; seed < 4; seed++) {
                struct keel_round_robin_result result = figure(PIPELINE, load, grain, seed);
                assert_true(result.efficiency > result.bound - 0.03);
                assert_true(result.fair > result.bound - 0.045);
            }
        }
    }
}

/* Figure 13 */
static void barriers_need_grains_of_several_quanta(void **state)
{
    (void)state;
    assert_true(figure(BARRIER, 0, 0.1, 0).efficiency < 0.25);
    assert_true(figure(BARRIER, 1, 0.1, 0).efficiency < 0.15);
    for (size_t load = 0; load < LOADS - 1; load++) { /* some processors have less than others */
        double before = 0;
        for (double grain = 0.05; grain < 0.45; grain *= 1.17) { /* a straight way up */
            double fair = figure(BARRIER, load, grain, 0).fair;
            assert_true(fair > before && fair < 0.6);
            before = fair;
        }
        for (double grain = 12; grain < 20; grain *= 1.17) {
            assert_true(figure(BARRIER, load, grain, 1).fair > 0.9);
        }
    }
}

static void barriers_are_best_where_grains_are_whole_scheduling_periods(void **state)
{
    (void)state;
    for (double grain = 2; grain <= 12; grain += 2) {
        assert_true(is_near(figure(BARRIER, 0, grain, 0).efficiency, 1));
        assert_true(figure(BARRIER, 0, grain + 0.3, 0).efficiency < 0.99);
    }
    for (double grain = 3; grain <= 12; grain += 3) {
        assert_true(is_near(figure(BARRIER, 1, grain, 0).efficiency, 1));
        assert_true(figure(BARRIER, 1, grain + 0.3, 0).efficiency < 0.99);
    }
}

/* Worker 0 computes 0 - 0.5, 2.5 - 3, goes on - 3.5, 5.5 - 6, ... and never comes too late, however
 * sums of thirds are rounded. */
static void times_that_differ_by_rounding_are_the_same(void **state)
{
    uint32_t competing[64] = {2};

    (void)state;
    for (uint32_t workers = 2; workers <= 64; workers++) {
        struct keel_round_robin run = {.kind = BARRIER,
                                       .workers = workers,
                                       .competing = competing,
                                       .sequential = 1000,
                                       .grain = 1.5};
        run.sequential = 100 * 1.5 * play(&run).available;
        assert_true(is_near(play(&run).elapsed, 150));
    }
}

static void seeds_shift_the_first_turns(void **state)
{
    struct keel_round_robin run = {
        .workers = 1, .competing = (uint32_t[]){3}, .sequential = 0.5, .grain = 1};
    double least = 10, most = 0;

    (void)state;
    for (run.seed = 1; run.seed < 200; run.seed++) {
        double elapsed = play(&run).elapsed;
        least = fmin(least, elapsed);
        most = fmax(most, elapsed);
        assert_true(elapsed == play(&run).elapsed);
    }
    assert_true(least >= 0.5 && least < 0.6 && most <= 3.5 && most > 3.4);
    run.seed = 0;
    assert_true(play(&run).elapsed == 0.5);
}

static void there_is_a_limit_to_the_number_of_blocks(void **state)
{
    struct keel_round_robin run = {.workers = 2, .sequential = 200, .grain = 1e-9};

    (void)state;
    assert_int_equal(play(&run).blocks, KEEL_ROUND_ROBIN_BLOCKS_MAX);
    run.grain = INFINITY;
    assert_int_equal(play(&run).blocks, 1);
    run.grain = NAN;
    assert_int_equal(play(&run).blocks, 1);
    run.grain = 30; /* 60, 60, 60 and 20 of 200; the last one holds up nobody */
    assert_int_equal(play(&run).blocks, 4);
    assert_true(is_near(play(&run).elapsed, 4 * 30 + 10));
}

static void no_argument_gives_no_number(void **state)
{
    static const double odd[] = {NAN, -INFINITY, -1, 0, 1e-300, 0.5, 1, 7, 1e300, INFINITY};

    (void)state;
    for (size_t i = 0; i < 200; i++) {
        struct keel_round_robin run = {.kind = i < 100 ? PIPELINE : BARRIER,
                                       .workers = 2,
                                       .competing = (uint32_t[]){UINT32_MAX, 0},
                                       .sequential = odd[i % 10],
                                       .grain = fmax(odd[i / 10 % 10], 0.001)};
        if (run.sequential > 100) {
            run.grain = fmax(run.grain, 7);
        }
        struct keel_round_robin_result result = play(&run);
        assert_true(result.elapsed >= 0 && result.efficiency >= 0 && result.efficiency <= 1);
        assert_true(result.fair >= 0 && result.competing >= 0);
        assert_true(result.bound > 0 && result.bound <= 1);
    }
    struct keel_round_robin nothing = {.workers = 3, .sequential = NAN, .grain = 1};
    assert_true(play(&nothing).elapsed == 0 && play(&nothing).blocks == 0);
    assert_true(play(&nothing).efficiency == 1 && play(&nothing).available == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_by_hand),
        cmocka_unit_test(pipelines_by_hand),
        cmocka_unit_test(a_process_that_waits_goes_behind_all_others),
        cmocka_unit_test(turns_end_after_a_quantum),
        cmocka_unit_test(equal_shares_wait_for_the_loaded_worker),
        cmocka_unit_test(without_competition_it_is_the_pipeline_model),
        cmocka_unit_test(pipelines_stay_near_their_bound_for_any_grain),
        cmocka_unit_test(barriers_need_grains_of_several_quanta),
        cmocka_unit_test(barriers_are_best_where_grains_are_whole_scheduling_periods),
        cmocka_unit_test(times_that_differ_by_rounding_are_the_same),
        cmocka_unit_test(seeds_shift_the_first_turns),
        cmocka_unit_test(there_is_a_limit_to_the_number_of_blocks),
        cmocka_unit_test(no_argument_gives_no_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
