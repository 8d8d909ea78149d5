/* Rate-proportional blocks: recordings with bounds worked out by hand, hysteresis, bad input. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "schedules/learn/blocks.h"
#include "tests/support/unit.h"

#define assert_close(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-6)

static struct keel_blocks *begin(uint64_t workers)
{
    struct keel_blocks *balance = malloc(keel_blocks_size(workers));

    assert_non_null(balance);
    keel_blocks_begin(balance, workers);
    return balance;
}

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
    assert_close(speeds / (double)balance->workers, 1);
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
TEST(a_recording)
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
        assert_close(balance->worker[0].rate.filtered, rows[i].filtered[0]);
        assert_close(balance->worker[1].rate.filtered, rows[i].filtered[1]);
        assert_close(balance->gain, rows[i].gain);
        assert_close(balance->worker[1].wanted.last,
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
    assert_close(keel_blocks_speed(balance, 0), 1);
    assert_close(balance->gain, 1. / 3); /* 3/4 of the work becomes 1/2 */
    assert_close(balance->worker[1].bound, 1. / 3);
    assert_close(keel_profile_work(&balance->profile, 0.5), 0.75);
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
            assert_close(keel_blocks_speed(balance, 0), 2. / 3);
            assert_close(keel_profile_work(&balance->profile, 0.3), 0.3);
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
