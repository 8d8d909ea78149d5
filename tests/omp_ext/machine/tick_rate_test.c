/* The rate of ticks under made-up clocks. */
#include <math.h>
#include <stddef.h>

#include "omp_ext/machine/clock.h"
#include "tests/support/unit.h"

#define MS 1000000u
#define SECOND 1000000000u

static struct keel_moment at(uint64_t ticks, uint64_t ns)
{
    return (struct keel_moment){ticks, ns};
}

static void begin(struct keel_tick_rate *rate, uint64_t ticks, uint64_t ns)
{
    struct keel_moment moment = at(ticks, ns);

    keel_tick_rate_begin(rate, &moment);
}

static void refine(struct keel_tick_rate *rate, uint64_t ticks, uint64_t ns)
{
    struct keel_moment moment = at(ticks, ns);

    keel_tick_rate_refine(rate, &moment);
}

static void assert_rate(const struct keel_tick_rate *rate, double ns_per_tick)
{
    assert_true(fabs(rate->ns_per_tick - ns_per_tick) < 1e-12);
}

TEST(a_short_window_gives_no_rate)
{
    struct keel_tick_rate rate;

    begin(&rate, 1000, 50);
    refine(&rate, 1000 + 2 * (KEEL_TICK_RATE_WINDOW_NS - 1), 50 + KEEL_TICK_RATE_WINDOW_NS - 1);
    assert_rate(&rate, 0);
    refine(&rate, 1000 + 2 * KEEL_TICK_RATE_WINDOW_NS, 50 + KEEL_TICK_RATE_WINDOW_NS);
    assert_rate(&rate, 0.5);
}

TEST(longer_windows_replace_the_first_rate)
{
    struct keel_tick_rate rate;

    begin(&rate, 0, 0);
    refine(&rate, 2 * MS, 1 * MS + 50000); /* read 5 % late */
    assert_rate(&rate, 0.525);
    assert_int_equal(rate.refine_at, 16 * MS);
    refine(&rate, 16 * MS, 8 * MS);
    assert_rate(&rate, 0.5);
    assert_int_equal(rate.base.ticks, 0);
}

TEST(a_complete_window_is_followed_by_another)
{
    struct keel_tick_rate rate;

    begin(&rate, 7, 0);
    refine(&rate, 7 + 4ull * SECOND, 4ull * SECOND);
    assert_rate(&rate, 1);
    assert_int_equal(rate.base.ticks, 7 + 4ull * SECOND);
    assert_int_equal(rate.base.ns, 4ull * SECOND);
    assert_int_equal(rate.refine_at, 7 + 8ull * SECOND);
}

/* The counter ran on while CLOCK_MONOTONIC stood still, as in a machine that sleeps. */
TEST(one_strange_window_is_not_believed)
{
    struct keel_tick_rate rate;

    begin(&rate, 0, 0);
    refine(&rate, 100 * MS, 100 * MS);
    refine(&rate, 3600ull * SECOND, 101 * MS);
    assert_rate(&rate, 1);
    assert_int_equal(rate.base.ticks, 3600ull * SECOND);
    assert_int_equal(rate.refine_at, 3600ull * SECOND + 1 * MS);
    refine(&rate, 3600ull * SECOND + 1 * MS, 102 * MS);
    assert_rate(&rate, 1);
    assert_false(rate.doubted);
}

TEST(a_strange_rate_that_stays_is_believed)
{
    struct keel_tick_rate rate;

    begin(&rate, 0, 0);
    refine(&rate, 100 * MS, 100 * MS);
    refine(&rate, 300 * MS, 200 * MS);
    assert_rate(&rate, 1);
    assert_true(rate.doubted);
    refine(&rate, 302 * MS, 201 * MS);
    assert_rate(&rate, 0.5);
}

TEST(clocks_that_go_back_begin_a_new_window)
{
    struct keel_tick_rate rate;

    begin(&rate, 1000 * MS, 500 * MS);
    refine(&rate, 10, 501 * MS); /* before any rate is known */
    assert_rate(&rate, 0);
    assert_int_equal(rate.base.ticks, 10);
    assert_int_equal(rate.refine_at, 10);
    refine(&rate, 10 + 20 * MS, 511 * MS);
    assert_rate(&rate, 0.5);
    refine(&rate, 5, 520 * MS);
    assert_rate(&rate, 0.5);
    assert_int_equal(rate.base.ticks, 5);
    refine(&rate, 5 + 2 * MS, 400 * MS); /* CLOCK_MONOTONIC, which never does */
    assert_rate(&rate, 0.5);
    assert_int_equal(rate.base.ns, 400 * MS);
}

TEST(a_clock_that_stands_still_gives_no_rate)
{
    struct keel_tick_rate rate;

    begin(&rate, 10, 10);
    refine(&rate, 10, 10 + SECOND);
    assert_rate(&rate, 0);
    refine(&rate, 500, 10 + SECOND);
    assert_rate(&rate, 0);
}
