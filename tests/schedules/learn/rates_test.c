/* From samples to rates, by hand: paces, the learner, the rate filter, the threshold. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "schedules/learn/learn.h"
#include "schedules/loop/registry.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

/* --- samples, paces and weights --- */

/* Paces 10 and 40: speeds 0.1 and 0.025, mean 0.0625, weights 1.6 and 0.4. */
TEST(weights_are_relative_speeds)
{
    struct keel_speeds speeds = {0};

    keel_speeds_add(&speeds, 10);
    keel_speeds_add(&speeds, 40);
    assert_near(keel_speeds_weight(&speeds, 10), 1.6);
    assert_near(keel_speeds_weight(&speeds, 40), 0.4);
}

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
    assert_false(keel_learner_is_due(&learner, KEEL_LEARNS_LOOPS, 7));
    assert_false(keel_learner_is_due(&learner, KEEL_LEARNS_NOT, 8));
}

/* After the first chunk, and then where the batch is another than when it last asked. */
TEST(batches_renew_weights)
{
    struct keel_learner learner;
    const enum keel_learning batches = KEEL_LEARNS_BATCHES;

    keel_learner_begin(&learner, 0, 0);
    keel_learner_add(&learner, schedule("awf-b"), 10, 140, 0);
    assert_true(keel_learner_is_due(&learner, batches, 0));
    keel_learner_add(&learner, schedule("awf-b"), 10, 140, 0);
    assert_false(keel_learner_is_due(&learner, batches, 0));
    assert_true(keel_learner_is_due(&learner, batches, 2));
    assert_false(keel_learner_is_due(&learner, batches, 2));
    assert_true(keel_learner_is_due(&learner, batches, 3));
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

/* A thread that is disturbed for three instances and then alone again. */
TEST(a_recording)
{
    static const double rates[][2] = {{1, 1},        {0.5, 0.65},    {0.5, 0.53},      {0.5, 0.503},
                                      {1, 0.503},    {1, 0.503},     {1, 0.7018},      {1, 0.88072},
                                      {1, 0.976144}, {1, 0.9952288}, {0.9, 0.95713728}};
    struct keel_rate_filter filter = {0};

    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        assert_close(keel_rate_filter_update(&filter, rates[i][0]), rates[i][1]);
    }
    assert_int_equal(filter.state, KEEL_RATE_CONSTANT);
}

TEST(rates_that_cannot_be_are_ignored)
{
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
    assert_true(keel_threshold_gain(4, 3) == 0.25);
    assert_true(keel_threshold_gain(4, 4) == 0);
    assert_true(keel_threshold_gain(3, 4) == 0);
    assert_true(keel_threshold_gain(4, 0) == 1);
    assert_true(keel_threshold_gain(0, 0) == 0);
    assert_true(keel_threshold_gain(NAN, 1) == 0);
    assert_true(keel_threshold_gain(1, NAN) == 0);
}
