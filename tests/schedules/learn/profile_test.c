/* Cost profiles: work, its inverse, and what chunks teach; examples worked out by hand. */
#include <math.h>
#include <stddef.h>

#include "schedules/loop/cost_profile.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define BINS KEEL_PROFILE_BINS
#define assert_close(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-9)

static struct draws draws;

/* Costs `first` in the first half and `second` in the other, seen so often. */
static struct keel_profile halves(double first, double second, double seen)
{
    struct keel_profile profile;

    for (int b = 0; b < BINS; b++) {
        profile.cost[b] = b < BINS / 2 ? first : second;
        profile.seen[b] = seen;
    }
    return profile;
}

static void assert_normal(const struct keel_profile *profile)
{
    double sum = 0;

    for (int b = 0; b < BINS; b++) {
        assert_true(isfinite(profile->cost[b]) && profile->cost[b] > 0);
        sum += profile->cost[b];
    }
    assert_close(sum / BINS, 1);
}

TEST(a_new_profile_is_flat)
{
    struct keel_profile profile;

    keel_profile_begin(&profile);
    assert_normal(&profile);
    for (int i = 0; i <= 100; i++) {
        assert_close(keel_profile_work(&profile, i / 100.), i / 100.);
        assert_close(keel_profile_position(&profile, i / 100.), i / 100.);
    }
    for (int b = 0; b < BINS; b++) {
        assert_true(profile.seen[b] == 0);
    }
}

TEST(work_is_piecewise_linear)
{
    const struct keel_profile profile = halves(1.5, 0.5, 1);

    assert_close(keel_profile_work(&profile, 0.25), 0.375);
    assert_close(keel_profile_work(&profile, 0.5), 0.75);
    assert_close(keel_profile_work(&profile, 0.75), 0.875);
    assert_close(keel_profile_work(&profile, 1 / 128.), 1.5 / 128);
    assert_close(keel_profile_position(&profile, 0.375), 0.25);
    assert_close(keel_profile_position(&profile, 0.75), 0.5);
    assert_close(keel_profile_position(&profile, 0.875), 0.75);
}

TEST(ends_are_exact_and_nothing_lies_beyond)
{
    const struct keel_profile profile = halves(1.9, 0.1, 1);
    double (*const maps[])(const struct keel_profile *, double) = {keel_profile_work,
                                                                   keel_profile_position};

    for (int i = 0; i < 2; i++) {
        assert_true(maps[i](&profile, 0) == 0);
        assert_true(maps[i](&profile, 1) == 1);
        assert_true(maps[i](&profile, -1) == 0);
        assert_true(maps[i](&profile, 1.5) == 1);
        assert_true(maps[i](&profile, NAN) == 0);
        assert_true(maps[i](&profile, nextafter(1, 0)) <= 1);
    }
}

/* 15 iterations of the middle bins, 10 of cost 3 (of 4 parts each) and 5 of cost 1: 6/7, 1/7. */
TEST(a_chunk_s_time_is_split_as_expected)
{
    const struct keel_profile profile = halves(1.5, 0.5, 1);
    const struct keel_timed_chunk chunk = {630, 645, 700};
    struct keel_profile_sample sample = {0};

    keel_profile_sample_add(&sample, &profile, &chunk, 1, 1280, 2);
    assert_close(sample.iterations[30], 0);
    assert_close(sample.iterations[31], 10);
    assert_close(sample.iterations[32], 5);
    assert_close(sample.time_ns[31], 1200);
    assert_close(sample.time_ns[32], 200);
    assert_close(sample.time_ns[33], 0);
}

TEST(chunks_that_cannot_be_are_left_out)
{
    static const struct keel_timed_chunk bad[] = {
        {0, 10, 0},  {0, 10, -1}, {0, 10, NAN},    {0, 10, INFINITY},
        {10, 10, 5}, {20, 10, 5}, {100, 1281, 50},
    };
    const struct keel_profile profile = halves(1.5, 0.5, 1);
    struct keel_profile_sample sample = {0};

    keel_profile_sample_add(&sample, &profile, bad, sizeof(bad) / sizeof(bad[0]), 1280, 1);
    for (int b = 0; b < BINS; b++) {
        assert_true(sample.time_ns[b] == 0 && sample.iterations[b] == 0);
    }
}

/* Fills bins [from, to) with `count` iterations at `cost` ns. */
static void show(struct keel_profile_sample *sample, int from, int to, double count, double cost)
{
    for (int b = from; b < to; b++) {
        sample->iterations[b] = count;
        sample->time_ns[b] = count * cost;
    }
}

/* However long a part of the loop took: there is nothing to compare it with. */
TEST(a_part_of_the_loop_teaches_only_its_shape)
{
    struct keel_profile profile = halves(1.5, 0.5, 10);
    struct keel_profile_sample sample = {0};

    show(&sample, 0, 16, 10, 3e6);
    show(&sample, 16, 32, 10, 1e6);
    keel_profile_learn(&profile, &sample);
    assert_close(profile.cost[0], (5 * 1.5 + 10 * 2.25) / 15);
    assert_close(profile.cost[16], (5 * 1.5 + 10 * 0.75) / 15);
    assert_close(profile.cost[40], 0.5);
    assert_close(profile.seen[40], 10);
    assert_normal(&profile);
}

/* Bins 10 at 1 and 20 at 3: up to 15 the first is the nearest one. */
TEST(bins_nobody_saw_take_the_nearest)
{
    struct keel_profile profile;
    struct keel_profile_sample sample = {0};

    keel_profile_begin(&profile);
    show(&sample, 10, 11, 1, 1);
    show(&sample, 20, 21, 1, 3);
    keel_profile_learn(&profile, &sample);
    for (int b = 0; b < BINS; b++) {
        assert_close(profile.cost[b] / profile.cost[10], b <= 15 ? 1. : 3.);
        assert_true((profile.seen[b] > 0) == (b == 10 || b == 20));
    }
    assert_normal(&profile);
}

/* 10 ns are 1.5 in the first half, so 20 ns are 3 in the other: twice as much, in the end. */
TEST(known_bins_say_what_a_new_one_costs)
{
    struct keel_profile profile = halves(1.5, 0.5, 10);
    struct keel_profile_sample sample = {0};

    for (int b = 32; b < BINS; b++) {
        profile.seen[b] = 0;
    }
    show(&sample, 0, 32, 10, 10);
    show(&sample, 32, 64, 10, 20);
    keel_profile_learn(&profile, &sample);
    assert_close(profile.cost[0], 2. / 3);
    assert_close(profile.cost[63], 4. / 3);
}

TEST(samples_that_say_nothing_change_nothing)
{
    static const double times[] = {0, -1, NAN, INFINITY};

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        struct keel_profile profile = halves(1.5, 0.5, 10);
        struct keel_profile_sample sample = {0};
        keel_profile_learn(&profile, &sample);
        show(&sample, 0, BINS, 10, times[i]);
        keel_profile_learn(&profile, &sample);
        for (int b = 0; b < BINS; b++) {
            assert_true(profile.cost[b] == (b < 32 ? 1.5 : 0.5) && profile.seen[b] == 10);
        }
    }
}

TEST(free_iterations_still_cost_something)
{
    struct keel_profile profile;
    struct keel_profile_sample sample = {0};

    keel_profile_begin(&profile);
    show(&sample, 0, 63, 10, 1e-12);
    show(&sample, 63, 64, 10, 1e9);
    keel_profile_learn(&profile, &sample);
    assert_normal(&profile);
    assert_true(profile.cost[0] > 1e-7);
    assert_true(keel_profile_position(&profile, 0.5) > 63. / 64);
}

/* An iteration covers several bins then, or many bins share a number that a double can't hold. */
TEST(any_number_of_iterations)
{
    static const uint64_t numbers[] = {1, 2, 3, 63, 65, 1000003, UINT64_MAX};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        uint64_t n = numbers[i];
        const struct keel_timed_chunk chunk[] = {{0, n, 1e6}, {n - 1, n, 5}};
        struct keel_profile profile;
        struct keel_profile_sample sample = {0};
        double sum = 0;
        keel_profile_begin(&profile);
        keel_profile_sample_add(&sample, &profile, &chunk[0], 1, n, 1);
        for (int b = 0; b < BINS; b++) {
            sum += sample.iterations[b];
        }
        assert_true(fabs(sum / (double)n - 1) < 1e-9);
        keel_profile_sample_add(&sample, &profile, &chunk[1], 1, n, 1);
        keel_profile_learn(&profile, &sample);
        assert_normal(&profile);
    }
}

BEFORE_TESTS
{
    draws = draws_begin();
}
