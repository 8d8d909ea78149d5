/* What is believed of measurements: known answers, and drawn instances of loops under a clock that
 * is as bad as real ones. KEEL_TEST_SEED repeats a run. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "schedules/learn/blocks.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define assert_close(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-9)

static struct draws draws;

TEST(nothing_within_two_errors_is_believed)
{
    assert_true(keel_certainty_shrink(0.6, 0.5, 0.05) == 0.5);
    assert_true(keel_certainty_shrink(0.4, 0.5, 0.06) == 0.5);
    assert_true(keel_certainty_shrink(0.5, 0.5, 0) == 0.5);
    assert_true(keel_certainty_shrink(NAN, 0.5, 0.1) == 0.5);
    assert_true(keel_certainty_shrink(0.6, 0.5, INFINITY) == 0.5);
}

/* d (1 - e^2 / d^2), d 0.1 and 0.4, e 0.08 */
TEST(what_exceeds_them_is_believed_the_more_the_farther)
{
    assert_close(keel_certainty_shrink(0.6, 0.5, 0.04), 0.5 + 0.1 - 0.0064 / 0.1);
    assert_close(keel_certainty_shrink(0.1, 0.5, 0.04), 0.5 - 0.4 + 0.0064 / 0.4);
    assert_true(keel_certainty_shrink(0.9, 0.5, 0) == 0.9);
}

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

TEST(what_moves_on_is_not)
{
    struct keel_spread jump = {0}, drift = {0};

    for (int i = 0; i < 40; i++) {
        keel_spread_add(&jump, i < 20 ? 1 : 5);
        keel_spread_add(&drift, i * 0.5);
    }
    assert_true(keel_spread_error(&jump, 1) == 0);
    assert_true(keel_spread_error(&drift, 1) == 0);
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

/* 34 iterations on two equal threads, 1 to 7 us, drawn: in no instance out of 1,000 is the border
 * more than 5 % of the loop from the middle. */
TEST(short_loops_of_equal_threads_stay_equal)
{
    double worst = 0;

    for (int loop = 0; loop < 100; loop++) {
        struct keel_blocks *balance = begin(2);
        double iteration_ns = (1000 + 6000 * draw()) / 17, cost[] = {iteration_ns, iteration_ns};
        for (int i = 0; i < 1000; i++) {
            run_blocks(balance, 34, cost, 600);
            worst = fmax(worst, fabs(balance->worker[1].bound - 0.5));
        }
        free(balance);
    }
    print_message("# worst border: %.3f from the middle\n", worst);
    assert_true(worst <= 0.05);
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

/* Bounds from before, when threads differed, come back when they do no longer. */
TEST(what_is_no_longer_certain_is_given_up)
{
    const double equal[] = {60, 60};
    struct keel_blocks *balance = begin(2);

    run_blocks(balance, 34, equal, 0);
    balance->worker[1].bound = 0.8;
    for (int i = 0; i < 300; i++) {
        run_blocks(balance, 34, equal, 600);
    }
    assert_true(fabs(balance->worker[1].bound - 0.5) <= 0.05);
    free(balance);
}

BEFORE_TESTS
{
    draws = draws_begin();
}
