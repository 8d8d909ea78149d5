/* Rates from samples, how far they are believed, and blocks by rates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schedules/learn/blocks.h"
#include "schedules/learn/learn.h"
#include "schedules/loop/registry.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- rates: from samples to rates, by hand: paces, the learner, the rate filter, the threshold
 * --- */

/* --- samples, paces and weights --- */

TEST(threads_without_a_pace_have_weight_1)
{
    struct keel_speeds speeds = {0};

    assert_near(keel_speeds_weight(&speeds, 0), 1);
    keel_speeds_add(&speeds, 0);
    assert_int_equal(speeds.measured, 0);
    keel_speeds_add(&speeds, 5);
    assert_near(keel_speeds_weight(&speeds, 5), 1);
    assert_near(keel_speeds_weight(&speeds, 0), 1);
}

/* --- the learner of weights --- */

static void assert_about(double value, double wanted)
{
    if (!(value > wanted - 1e-9 && value < wanted + 1e-9)) {
        fail_msg("%.12g instead of %.12g", value, wanted);
    }
}

static const struct keel_schedule *schedule(const char *name)
{
    const struct keel_schedule *found = keel_registry_find(name, strlen(name));

    assert_non_null(found);
    return found;
}

/* A first chunk of 25 iterations at 4 ns, then 10 iterations in 140 ns:
 * (1 x 100 + 2 x 140) / (1 x 25 + 2 x 10) = 380 / 45. */
TEST(a_known_pace_counts_as_the_first_chunk)
{
    struct keel_learner learner;

    keel_learner_begin(&learner, 4, 25);
    assert_about(learner.pace_ns, 4);
    keel_learner_add(&learner, schedule("awf-c"), 10, 140, 1000);
    assert_about(learner.pace_ns, 380 / 45.0);
}

/* awf-e learns from the time with overhead, awf-c without: (140 + 60) / 10 and 140 / 10. */
TEST(overhead_counts_where_the_schedule_says_so)
{
    struct keel_learner with, without;

    keel_learner_begin(&with, 0, 25);
    keel_learner_begin(&without, 0, 25);
    keel_learner_add(&with, schedule("awf-e"), 10, 140, 60);
    keel_learner_add(&without, schedule("awf-c"), 10, 140, 60);
    assert_about(with.pace_ns, 20);
    assert_about(without.pace_ns, 14);
}

TEST(weights_learned_between_loops_take_no_chunks)
{
    struct keel_learner learner;

    keel_learner_begin(&learner, 4, 25);
    keel_learner_add(&learner, schedule("awf"), 10, 140, 0);
    assert_about(learner.pace_ns, 4);
    assert_false(keel_learner_take_batch(&learner, KEEL_LEARNS_LOOPS, 7));
    assert_false(keel_learner_take_batch(&learner, KEEL_LEARNS_NOT, 8));
}

/* After the first chunk, and then where the batch is another than when it last asked. */
TEST(batches_renew_weights)
{
    struct keel_learner learner;
    const enum keel_learning batches = KEEL_LEARNS_BATCHES;

    keel_learner_begin(&learner, 0, 0);
    keel_learner_add(&learner, schedule("awf-b"), 10, 140, 0);
    assert_true(keel_learner_take_batch(&learner, batches, 0));
    keel_learner_add(&learner, schedule("awf-b"), 10, 140, 0);
    assert_false(keel_learner_take_batch(&learner, batches, 0));
    assert_true(keel_learner_take_batch(&learner, batches, 2));
    assert_false(keel_learner_take_batch(&learner, batches, 2));
    assert_true(keel_learner_take_batch(&learner, batches, 3));
}

TEST(unknown_paces_begin_small_where_they_are_learned_within_the_loop)
{
    const struct keel_speeds team = {.sum = 0.125, .measured = 2}, nobody = {0};

    assert_about(keel_learner_weight(KEEL_LEARNS_LOOPS, 0, &team, 0), 1);
    assert_about(keel_learner_weight(KEEL_LEARNS_BATCHES, 0, &team, 0), 0.125);
    assert_about(keel_learner_weight(KEEL_LEARNS_CHUNKS, 0, &nobody, 0), 0.125);
    assert_about(keel_learner_weight(KEEL_LEARNS_CHUNKS, 10, &nobody, 0), 1);
}

/* d = 0.6. An error of 0.3 by KEEL_CERTAINTY_ERRORS: d (1 - (0.3 / 0.6)^2) = 0.45. One of 0.6 hides
 * it. */
TEST(uncertain_weights_are_nearer_to_1)
{
    const struct keel_speeds team = {.sum = 0.125, .measured = 2};

    assert_about(keel_learner_weight(KEEL_LEARNS_CHUNKS, 10, &team, 0.3 / KEEL_CERTAINTY_ERRORS),
                 1.45);
    assert_about(keel_learner_weight(KEEL_LEARNS_CHUNKS, 10, &team, 0.6 / KEEL_CERTAINTY_ERRORS),
                 1);
}

/* --- the rate filter: every row of its table, and a recording --- */

#define assert_close(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-12)

/* The rate filter, PAPERS.md S10, with the filtered rate 1 before: 2 gives 2 - h, 1/2 gives 1/2 +
 * h/2. */
TEST(every_row_of_the_table)
{
    static const struct {
        enum keel_rate_state from;
        double rate;
        enum keel_rate_state to;
        double filtered;
    } rows[] = {
        {KEEL_RATE_DOWN3, 2, KEEL_RATE_DOWN1, 1.0},
        {KEEL_RATE_DOWN2, 2, KEEL_RATE_CONSTANT, 1.0},
        {KEEL_RATE_DOWN1, 2, KEEL_RATE_UP1, 1.0},
        {KEEL_RATE_CONSTANT, 2, KEEL_RATE_UP1, 1.2},
        {KEEL_RATE_UP1, 2, KEEL_RATE_UP2, 1.4},
        {KEEL_RATE_UP2, 2, KEEL_RATE_UP3, 1.6},
        {KEEL_RATE_UP3, 2, KEEL_RATE_UP3, 1.8},
        {KEEL_RATE_DOWN3, 0.5, KEEL_RATE_DOWN3, 0.55},
        {KEEL_RATE_DOWN2, 0.5, KEEL_RATE_DOWN3, 0.55},
        {KEEL_RATE_DOWN1, 0.5, KEEL_RATE_DOWN2, 0.6},
        {KEEL_RATE_CONSTANT, 0.5, KEEL_RATE_DOWN1, 0.65},
        {KEEL_RATE_UP1, 0.5, KEEL_RATE_DOWN1, 0.7},
        {KEEL_RATE_UP2, 0.5, KEEL_RATE_DOWN1, 0.75},
        {KEEL_RATE_UP3, 0.5, KEEL_RATE_CONSTANT, 0.8},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_rate_filter filter = {.filtered = 1, .state = rows[i].from};
        assert_close(keel_rate_filter_update(&filter, rows[i].rate), rows[i].filtered);
        assert_close(filter.filtered, rows[i].filtered);
        assert_int_equal(filter.state, rows[i].to);
    }
}

TEST(rates_that_cannot_be_are_ignored)
{
    allow_exceptions();
    static const double rates[] = {0, -1, NAN, INFINITY, -INFINITY};

    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        struct keel_rate_filter fresh = {0};
        struct keel_rate_filter filter = {.filtered = 3, .state = KEEL_RATE_UP2};
        assert_close(keel_rate_filter_update(&fresh, rates[i]), 0);
        assert_close(keel_rate_filter_update(&filter, rates[i]), 3);
        assert_int_equal(filter.state, KEEL_RATE_UP2);
    }
}

/* --- the threshold: gains, and who may move when --- */

TEST(gain_is_the_time_saved)
{
    allow_exceptions();
    assert_true(keel_threshold_gain(4, 3) == 0.25);
    assert_true(keel_threshold_gain(4, 4) == 0);
    assert_true(keel_threshold_gain(3, 4) == 0);
    assert_true(keel_threshold_gain(4, 0) == 1);
    assert_true(keel_threshold_gain(0, 0) == 0);
    assert_true(keel_threshold_gain(NAN, 1) == 0);
    assert_true(keel_threshold_gain(1, NAN) == 0);
}

/* --- certainty: what is believed of measurements: known answers, and drawn instances of loops
 * under a clock that is as bad as real ones. KEEL_TEST_SEED repeats a run. --- */

static struct draws draws;

/* +1 -1 +1 ...: the variance of single values is 1, that of white noise of that size doubled. */
TEST(what_comes_back_is_chance)
{
    struct keel_spread spread = {0};

    for (int i = 0; i < 2; i++) {
        keel_spread_add(&spread, i % 2);
        assert_true(keel_spread_error(&spread, 1) == 0);
    }
    for (int i = 2; i < 30; i++) {
        keel_spread_add(&spread, i % 2);
    }
    assert_close(keel_spread_error(&spread, 1), 1);
    assert_close(keel_spread_error(&spread, 4), 0.5);
}

/* --- loops --- */

static double draw(void)
{
    return draws_real(&draws);
}

/* One instance in blocks: thread w needs cost[w] ns for an iteration, and on top up to `extra_ns`,
 * of which thread 0 has the more as a rule: its caches are the cold ones. */
static void run_blocks(struct keel_blocks *balance, uint64_t iterations, const double *cost,
                       double extra_ns)
{
    struct keel_blocks_part part[8] = {{0}};
    struct keel_timed_chunk chunk[8];

    for (uint64_t w = 0; w < balance->workers; w++) {
        uint64_t first = keel_blocks_first(balance, w, iterations);
        uint64_t last = keel_blocks_first(balance, w + 1, iterations);
        double extra = extra_ns * (w == 0 ? 0.2 + 0.8 * draw() : 0.6 * draw());
        double time_ns = (double)(last - first) * cost[w] + extra;
        if (first == last) {
            continue;
        }
        time_ns = floor(time_ns / 20) * 20 + 20; /* the clock's step */
        chunk[w] = (struct keel_timed_chunk){first, last, time_ns};
        part[w] = (struct keel_blocks_part){.done = last - first,
                                            .busy_ns = time_ns,
                                            .noise_ns = 1000,
                                            .chunk = &chunk[w],
                                            .chunks = 1};
    }
    keel_blocks_learn(balance, iterations, part);
}

static struct keel_blocks *begin(uint64_t workers)
{
    struct keel_blocks *balance = malloc(keel_blocks_size(workers));

    assert_non_null(balance);
    keel_blocks_begin(balance, workers);
    return balance;
}

/* Interruptions of 4 ms: what lasts a thousand times as long as the loop says nothing of it. */
TEST(short_loops_that_are_interrupted_stay_equal)
{
    for (int loop = 0; loop < 100; loop++) {
        struct keel_blocks *balance = begin(2);
        for (int i = 0; i < 300; i++) {
            double cost[] = {150, 150};
            cost[i % 2] += draw() < 0.02 ? 4e6 / 17 : 0;
            run_blocks(balance, 34, cost, 600);
        }
        assert_true(fabs(balance->worker[1].bound - 0.5) <= 0.05);
        free(balance);
    }
}

/* A thread twice as quick as the other, a millisecond an instance: after the first one already. */
TEST(a_real_difference_is_followed_at_once)
{
    const double cost[] = {200, 100};
    struct keel_blocks *balance = begin(2);

    run_blocks(balance, 10000, cost, 600);
    assert_true(fabs(balance->worker[1].bound - 1. / 3) < 0.01);
    for (int i = 0; i < 100; i++) {
        run_blocks(balance, 10000, cost, 600);
        assert_true(fabs(balance->worker[1].bound - 1. / 3) < 0.01);
    }
    free(balance);
}

BEFORE_TESTS
{
    draws = draws_begin();
}

/* --- blocks: rate-proportional blocks: recordings with bounds worked out by hand, hysteresis,
 * bad input --- */

#define assert_roughly(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-6)

static uint64_t width(const struct keel_blocks *balance, uint64_t worker, uint64_t iterations)
{
    return keel_blocks_first(balance, worker + 1, iterations) -
           keel_blocks_first(balance, worker, iterations);
}

/* Runs every block, worker w's at `cost[w]` ns an iteration; no chunks are logged. */
static enum keel_blocks_decision run(struct keel_blocks *balance, uint64_t iterations,
                                     const double *cost)
{
    struct keel_blocks_part part[8] = {{0}};

    for (uint64_t w = 0; w < balance->workers; w++) {
        part[w].done = width(balance, w, iterations);
        part[w].busy_ns = (double)part[w].done * cost[w];
    }
    return keel_blocks_learn(balance, iterations, part);
}

static void assert_sane(const struct keel_blocks *balance, uint64_t iterations)
{
    double speeds = 0;
    uint64_t before = 0;

    assert_int_equal(keel_blocks_first(balance, 0, iterations), 0);
    for (uint64_t w = 0; w < balance->workers; w++) {
        double speed = keel_blocks_speed(balance, w);
        uint64_t first = keel_blocks_first(balance, w, iterations);
        assert_true(isfinite(speed) && speed > 0);
        assert_true(isfinite(balance->worker[w].bound));
        assert_true(first >= before && first <= iterations);
        before = first;
        speeds += speed;
    }
    assert_int_equal(keel_blocks_first(balance, balance->workers, iterations), iterations);
    assert_roughly(speeds / (double)balance->workers, 1);
    assert_true(balance->gain >= 0 && balance->gain <= 1);
}

TEST(nothing_known_is_equal_blocks)
{
    struct keel_blocks *balance = begin(4);

    for (uint64_t w = 0; w <= 4; w++) {
        assert_int_equal(keel_blocks_first(balance, w, 400), 100 * w);
    }
    assert_sane(balance, 400);
    free(balance);
}

/* Worked out by hand from the rate filter and the threshold, PAPERS.md S10 and S11: ns per
 * iteration; filtered rates, gain, decision and second block that follow, N = 6000. Where this
 * instance alone would have the second block begin is compared with the one before, unless blocks
 * have moved in between. */
TEST(a_recording_of_blocks)
{
    static const struct {
        double cost[2], filtered[2], gain;
        enum keel_blocks_decision decision;
        uint64_t first;
    } rows[] = {
        {{5, 1}, {0.2, 1}, 0.666666667, KEEL_BLOCKS_MOVED, 1000},
        {{4, 1.25}, {0.21, 0.86}, 0.035514019, KEEL_BLOCKS_ADJUSTED, 1089},
        {{2, 1.25}, {0.326, 0.812}, 0.128281877, KEEL_BLOCKS_MOVED, 1719},
        {{2.5, 1.3}, {0.3704, 0.773507692}, 0.052323984, KEEL_BLOCKS_KEPT, 1719},
        {{3, 1}, {0.355573333, 0.773507692}, 0.039879460, KEEL_BLOCKS_ADJUSTED, 1818},
    };
    struct keel_blocks *balance = begin(2);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(run(balance, 6000, rows[i].cost), rows[i].decision);
        assert_roughly(balance->worker[0].rate.filtered, rows[i].filtered[0]);
        assert_roughly(balance->worker[1].rate.filtered, rows[i].filtered[1]);
        assert_roughly(balance->gain, rows[i].gain);
        assert_roughly(balance->worker[1].wanted.last,
                       rows[i].cost[1] / (rows[i].cost[0] + rows[i].cost[1]));
        assert_true(balance->worker[1].wanted.values == (i < 4 ? 1 : 2));
        assert_int_equal(keel_blocks_first(balance, 1, 6000), rows[i].first);
    }
    free(balance);
}

/* First half 3 times as costly: work 3/4 and 1/4, so the middle of the work lies at 1/3. */
TEST(costs_count_as_they_differ)
{
    struct keel_blocks *balance = begin(2);
    struct keel_timed_chunk chunk[2][64];
    struct keel_blocks_part part[2] = {{.chunk = chunk[0]}, {.chunk = chunk[1]}};

    for (uint64_t c = 0; c < 128; c++) {
        struct keel_blocks_part *own = &part[c % 2];
        double time = c < 64 ? 30 : 10;
        chunk[c % 2][own->chunks++] = (struct keel_timed_chunk){10 * c, 10 * c + 10, time};
        own->done += 10;
        own->busy_ns += time;
    }
    assert_int_equal(keel_blocks_learn(balance, 1280, part), KEEL_BLOCKS_MOVED);
    assert_roughly(keel_blocks_speed(balance, 0), 1);
    assert_roughly(balance->gain, 1. / 3); /* 3/4 of the work becomes 1/2 */
    assert_roughly(balance->worker[1].bound, 1. / 3);
    assert_roughly(keel_profile_work(&balance->profile, 0.5), 0.75);
    free(balance);
}

/* Costs that were even in the first instance, and are not any more. */
TEST(later_instances_change_what_costs_are_thought_to_be)
{
    struct keel_blocks *balance = begin(2);
    struct keel_timed_chunk chunk[2][64];

    for (int instance = 0; instance < 12; instance++) {
        struct keel_blocks_part part[2] = {{.chunk = chunk[0]}, {.chunk = chunk[1]}};
        for (uint64_t c = 0; c < 128; c++) {
            struct keel_blocks_part *own = &part[c % 2];
            double time = instance == 0 ? 20 : c < 64 ? 30 : 10;
            chunk[c % 2][own->chunks++] = (struct keel_timed_chunk){10 * c, 10 * c + 10, time};
            own->done += 10;
            own->busy_ns += time;
        }
        keel_blocks_learn(balance, 1280, part);
        assert_true(instance > 0 || keel_profile_work(&balance->profile, 0.5) == 0.5);
    }
    assert_true(fabs(keel_profile_work(&balance->profile, 0.5) - 0.75) < 0.03);
    free(balance);
}

TEST(impossible_chunks_and_cpu_times_are_left_out)
{
    static const double cpu[] = {-1, NAN, INFINITY, 1e300};
    static const struct keel_timed_chunk bad[] = {
        {10, 10, 5}, {20, 10, 5}, {90, 101, 5}, {UINT64_MAX, UINT64_MAX, 5}, {0, UINT64_MAX, 5},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        for (size_t c = 0; c < sizeof(cpu) / sizeof(cpu[0]); c++) {
            struct keel_blocks *balance = begin(2);
            struct keel_blocks_part part[2] = {
                {.done = 50, .busy_ns = 100, .cpu_ns = cpu[c], .chunk = &bad[i], .chunks = 1},
                {.done = 50, .busy_ns = 50, .cpu_ns = cpu[c]},
            };
            keel_blocks_learn(balance, 100, part);
            assert_sane(balance, 100);
            assert_roughly(keel_blocks_speed(balance, 0), 2. / 3);
            assert_roughly(keel_profile_work(&balance->profile, 0.3), 0.3);
            free(balance);
        }
    }
}

/* Also where it is the last one, and where several are. */
TEST(room_is_made_at_the_end)
{
    struct keel_blocks *balance = begin(4);
    const double slow[] = {1, 1e9, 1e9, 1e9};

    for (int i = 0; i <= KEEL_ADJUST_PERIOD; i++) {
        run(balance, 5, slow);
        assert_sane(balance, 5);
    }
    for (uint64_t w = 1; w < 4; w++) {
        assert_int_equal(width(balance, w, 5), 1);
    }
    free(balance);
}

TEST(one_worker_has_it_all)
{
    struct keel_blocks *balance = begin(1);

    for (int i = 0; i < 30; i++) {
        enum keel_blocks_decision decision = run(balance, 10, (double[]){1 + i % 3});
        assert_int_equal(decision, i == 0 ? KEEL_BLOCKS_MOVED : KEEL_BLOCKS_KEPT);
        assert_true(balance->gain == 0);
        assert_int_equal(keel_blocks_first(balance, 0, 10), 0);
        assert_int_equal(keel_blocks_first(balance, 1, 10), 10);
    }
    free(balance);
}
