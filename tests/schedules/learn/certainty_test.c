/* What is believed of measurements: known answers, and drawn instances of loops under a clock that
 * is as bad as real ones. KEEL_TEST_SEED repeats a run. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "schedules/learn/blocks.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define assert_close(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-9)

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
