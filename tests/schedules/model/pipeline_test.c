/* The pipeline model: by hand, against a simulated pipeline, and the chosen size against all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "schedules/model/pipeline.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"

#define WORKERS_MAX 64

/* --- a simulated pipeline --- */

/* Every worker computes a block as soon as it is free and has the border, and is busy sending its
 * own border on. Returns when the last one is done. */
static double simulated(const struct keel_pipeline *pipeline, uint64_t size)
{
    double arrived[WORKERS_MAX + 1] = {0}, free_s[WORKERS_MAX] = {0}, end_s = 0;
    double element_s = pipeline->sequential_s / pipeline->workers / (double)pipeline->elements;

    for (uint64_t first = 0; first < pipeline->elements; first += size) {
        uint64_t left = pipeline->elements - first;
        double block = (double)(left < size ? left : size);
        for (uint32_t w = 0; w < pipeline->workers; w++) {
            double start = fmax(free_s[w], w > 0 ? arrived[w] : 0);
            end_s = start + element_s * block;
            free_s[w] = end_s;
            if (pipeline->workers > 1) { /* the last one takes as long to receive */
                free_s[w] += pipeline->fixed_s + pipeline->incr_s * block;
            }
            arrived[w + 1] = free_s[w];
        }
    }
    return end_s;
}

/* Sizes that divide the elements, for which S4 holds, and others. */
static void formulas_meet_the_simulation(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int times = 0; times < 1000; times++) {
        uint64_t blocks = 1 + draws_below(&draws, 40), size = 1 + draws_below(&draws, 30);
        struct keel_pipeline pipeline = {
            .workers = 2 + (uint32_t)draws_below(&draws, 30),
            .elements = blocks * size,
            .sequential_s = (double)draws_below(&draws, 1000),
            .fixed_s = 0.01 * (double)draws_below(&draws, 1000),
            .incr_s = 0.001 * (double)draws_below(&draws, 1000),
        };
        double time_s = keel_pipeline_time(&pipeline, (double)blocks);
        assert_true(is_within(simulated(&pipeline, size), time_s, 1e-9));
        assert_true(is_within(keel_pipeline_block_time(&pipeline, size), time_s, 1e-9));
        pipeline.elements -= draws_below(&draws, size);
        assert_true(
            is_within(keel_pipeline_block_time(&pipeline, size), simulated(&pipeline, size), 1e-9));
    }
}

/* Over all sizes, as simulated: the chosen one is within 2 % of the best. */
static void chosen_blocks_are_near_the_best(void **state)
{
    struct draws draws = draws_begin();
    double worst = 1;

    (void)state;
    for (int times = 0; times < 2000; times++) {
        struct keel_pipeline pipeline = {
            .workers = 1 + (uint32_t)draws_below(&draws, 32),
            .elements = 1 + draws_below(&draws, times % 2 == 0 ? 20 : 500),
            .sequential_s = 1,
            .fixed_s = exp(-1.0 - (double)draws_below(&draws, 14)),
        };
        pipeline.incr_s = pipeline.fixed_s * exp(-(double)draws_below(&draws, 12));
        struct keel_pipeline_blocks chosen = keel_pipeline_best(&pipeline);
        double time_s = simulated(&pipeline, chosen.size), best_s = time_s;
        for (uint64_t size = 1; size <= pipeline.elements; size++) {
            best_s = fmin(best_s, simulated(&pipeline, size));
        }
        worst = fmax(worst, time_s / best_s);
        assert_true(time_s <= 1.02 * best_s);
        assert_in_range(chosen.size, 1, pipeline.elements);
        assert_in_range(pipeline.elements, chosen.size * (chosen.blocks - 1) + 1,
                        chosen.size * chosen.blocks);
    }
    printf("# at worst %.4f of the best time\n", worst);
}

/* A factor of two off costs little (S5): 25 % of what is beyond the ideal, at most. */
static void factors_of_two_cost_little(void **state)
{
    struct keel_pipeline pipeline = {4, 1000, 10, 0.001, 0};

    (void)state;
    double best = keel_pipeline_best_blocks(&pipeline), ideal = 10 / 4.0;
    double time_s = keel_pipeline_time(&pipeline, best);
    for (double factor = 0.5; factor <= 2; factor *= 4) {
        double other_s = keel_pipeline_time(&pipeline, factor * best);
        assert_true(other_s > time_s);
        assert_true(other_s - ideal < 1.25 * (time_s - ideal));
    }
}

/* --- by hand --- */

static void times_by_hand(void **state)
{
    struct keel_pipeline pipeline = {4, 100, 80, 3, 0.5};

    (void)state;
    /* 5 blocks: 8 times 80/20, 7 times 3 + 0.5 20 */
    assert_true(keel_pipeline_time(&pipeline, 5) == 32 + 91);
    assert_true(keel_pipeline_block_time(&pipeline, 20) == 32 + 91);
    /* 30 30 30 10: 20 (1 + 3 0.3), 6 times 3, 180 times 0.5 */
    assert_true(is_within(keel_pipeline_block_time(&pipeline, 30), 38 + 18 + 90, 1e-12));
    /* sqrt((80 3/4 + 0.5 100 2) / 3) */
    assert_true(is_within(keel_pipeline_best_blocks(&pipeline), 7.302967433402215, 1e-12));
    assert_true(keel_pipeline_bound(5, 4) == 0.625);
    assert_true(keel_pipeline_bound(7, 1) == 1);
}

/* M* is where the derivative of S4 is 0. */
static void best_blocks_are_a_minimum(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int times = 0; times < 1000; times++) {
        struct keel_pipeline pipeline = {
            .workers = 2 + (uint32_t)draws_below(&draws, 62),
            .elements = 1 + draws_below(&draws, 100000),
            .sequential_s = exp((double)draws_below(&draws, 10)),
            .fixed_s = exp(-(double)draws_below(&draws, 14)),
            .incr_s = exp(-5 - (double)draws_below(&draws, 14)),
        };
        double best = keel_pipeline_best_blocks(&pipeline);
        double time_s = keel_pipeline_time(&pipeline, best);
        assert_true(keel_pipeline_time(&pipeline, 1.1 * best) > time_s);
        assert_true(keel_pipeline_time(&pipeline, best / 1.1) > time_s);
    }
}

static void limits(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_pipeline_blocks best = keel_pipeline_best(&rows[i].pipeline);
        assert_int_equal(best.size, rows[i].size);
        assert_int_equal(best.blocks, rows[i].blocks);
    }
    assert_true(keel_pipeline_best_blocks(&rows[5].pipeline) == 1);
    assert_true(keel_pipeline_time(&rows[0].pipeline, 7) == 80);
    assert_true(keel_pipeline_block_time(&rows[0].pipeline, 7) == 80);
    assert_true(keel_pipeline_block_time(&(struct keel_pipeline){4, 0, 80, 3, 0.5}, 7) == 20);
}

static void fixed_sizes_are_cut_off(void **state)
{
    static const struct {
        uint64_t elements, size, cut, blocks;
    } rows[] = {
        {100, 30, 30, 4}, {100, 0, 1, 100},   {100, 1000, 100, 1},
        {0, 5, 1, 0},     {100, 100, 100, 1}, {UINT64_MAX, 2, 2, (uint64_t)1 << 63},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_pipeline_blocks cut = keel_pipeline_cut(rows[i].elements, rows[i].size);
        assert_int_equal(cut.size, rows[i].cut);
        assert_int_equal(cut.blocks, rows[i].blocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_meet_the_simulation),
        cmocka_unit_test(chosen_blocks_are_near_the_best),
        cmocka_unit_test(factors_of_two_cost_little),
        cmocka_unit_test(times_by_hand),
        cmocka_unit_test(best_blocks_are_a_minimum),
        cmocka_unit_test(limits),
        cmocka_unit_test(fixed_sizes_are_cut_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
