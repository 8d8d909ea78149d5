/* The learner of weights, on numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/learn/learner.h"
#include "schedules/loop/registry.h"

static void assert_near(double value, double wanted)
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
static void a_known_pace_counts_as_the_first_chunk(void **state)
{
    struct keel_learner learner;

    (void)state;
    keel_learner_begin(&learner, 4, 25);
    assert_near(learner.pace_ns, 4);
    keel_learner_add(&learner, schedule("awf-c"), 10, 140, 1000);
    assert_near(learner.pace_ns, 380 / 45.0);
}

/* Fewer iterations than threads: the known pace holds until a chunk is measured, and then not. */
static void a_known_pace_without_a_share_is_replaced(void **state)
{
    struct keel_learner learner;

    (void)state;
    keel_learner_begin(&learner, 4, 0);
    assert_near(learner.pace_ns, 4);
    keel_learner_add(&learner, schedule("awf-c"), 10, 140, 0);
    assert_near(learner.pace_ns, 14);
}

/* awf-e learns from the time with overhead, awf-c without: (140 + 60) / 10 and 140 / 10. */
static void overhead_counts_where_the_schedule_says_so(void **state)
{
    struct keel_learner with, without;

    (void)state;
    keel_learner_begin(&with, 0, 25);
    keel_learner_begin(&without, 0, 25);
    keel_learner_add(&with, schedule("awf-e"), 10, 140, 60);
    keel_learner_add(&without, schedule("awf-c"), 10, 140, 60);
    assert_near(with.pace_ns, 20);
    assert_near(without.pace_ns, 14);
}

/* A chunk that took no time on the clock does not replace what is known. */
static void chunks_without_time_change_nothing(void **state)
{
    struct keel_learner learner;

    (void)state;
    keel_learner_begin(&learner, 4, 0);
    keel_learner_add(&learner, schedule("awf-b"), 10, 0, 0);
    assert_near(learner.pace_ns, 4);
}

static void weights_learned_between_loops_take_no_chunks(void **state)
{
    struct keel_learner learner;

    (void)state;
    keel_learner_begin(&learner, 4, 25);
    keel_learner_add(&learner, schedule("awf"), 10, 140, 0);
    assert_near(learner.pace_ns, 4);
    assert_false(keel_learner_is_due(&learner, KEEL_LEARNS_LOOPS, 7));
    assert_false(keel_learner_is_due(&learner, KEEL_LEARNS_NOT, 8));
}

/* After the first chunk, and then where the batch is another than when it last asked. */
static void batches_renew_weights(void **state)
{
    struct keel_learner learner;
    const enum keel_learning batches = KEEL_LEARNS_BATCHES;

    (void)state;
    keel_learner_begin(&learner, 0, 0);
    keel_learner_add(&learner, schedule("awf-b"), 10, 140, 0);
    assert_true(keel_learner_is_due(&learner, batches, 0));
    keel_learner_add(&learner, schedule("awf-b"), 10, 140, 0);
    assert_false(keel_learner_is_due(&learner, batches, 0));
    assert_true(keel_learner_is_due(&learner, batches, 2));
    assert_false(keel_learner_is_due(&learner, batches, 2));
    assert_true(keel_learner_is_due(&learner, batches, 3));
}

static void chunks_renew_weights(void **state)
{
    struct keel_learner learner;

    (void)state;
    keel_learner_begin(&learner, 4, 25);
    for (int i = 0; i < 3; i++) {
        keel_learner_add(&learner, schedule("awf-c"), 10, 140, 0);
        assert_true(keel_learner_is_due(&learner, KEEL_LEARNS_CHUNKS, 0));
    }
}

/* Paces 10 and 40: speeds 0.1 and 0.025, mean 0.0625, weights 1.6 and 0.4. */
static void weights_are_relative_speeds(void **state)
{
    const struct keel_speeds team = {.sum = 0.125, .measured = 2};

    (void)state;
    assert_near(keel_learner_weight(KEEL_LEARNS_LOOPS, 10, &team, 0), 1.6);
    assert_near(keel_learner_weight(KEEL_LEARNS_CHUNKS, 40, &team, 0), 0.4);
    assert_near(keel_learner_weight(KEEL_LEARNS_NOT, 10, &team, 0), 1);
}

static void unknown_paces_begin_small_where_they_are_learned_within_the_loop(void **state)
{
    const struct keel_speeds team = {.sum = 0.125, .measured = 2}, nobody = {0};

    (void)state;
    assert_near(keel_learner_weight(KEEL_LEARNS_LOOPS, 0, &team, 0), 1);
    assert_near(keel_learner_weight(KEEL_LEARNS_BATCHES, 0, &team, 0), 0.125);
    assert_near(keel_learner_weight(KEEL_LEARNS_CHUNKS, 0, &nobody, 0), 0.125);
    assert_near(keel_learner_weight(KEEL_LEARNS_CHUNKS, 10, &nobody, 0), 1);
}

/* d = 0.6. An error of 0.3 by KEEL_CERTAINTY_ERRORS: d (1 - (0.3 / 0.6)^2) = 0.45. One of 0.6 hides
 * it. */
static void uncertain_weights_are_nearer_to_1(void **state)
{
    const struct keel_speeds team = {.sum = 0.125, .measured = 2};

    (void)state;
    assert_near(keel_learner_weight(KEEL_LEARNS_CHUNKS, 10, &team, 0.3 / KEEL_CERTAINTY_ERRORS),
                1.45);
    assert_near(keel_learner_weight(KEEL_LEARNS_CHUNKS, 10, &team, 0.6 / KEEL_CERTAINTY_ERRORS), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_pace_counts_as_the_first_chunk),
        cmocka_unit_test(a_known_pace_without_a_share_is_replaced),
        cmocka_unit_test(overhead_counts_where_the_schedule_says_so),
        cmocka_unit_test(chunks_without_time_change_nothing),
        cmocka_unit_test(weights_learned_between_loops_take_no_chunks),
        cmocka_unit_test(batches_renew_weights),
        cmocka_unit_test(chunks_renew_weights),
        cmocka_unit_test(weights_are_relative_speeds),
        cmocka_unit_test(unknown_paces_begin_small_where_they_are_learned_within_the_loop),
        cmocka_unit_test(uncertain_weights_are_nearer_to_1),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
