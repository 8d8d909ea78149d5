/* Costs from chunk times, and cost profiles. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"
#include "schedules/learn/learn.h"
#include "schedules/loop/cost_profile.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"
#include "schedules/loop/registry.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- costs from chunk times, the smallest chunk that follows, and loops too short to schedule
 * --- */

/* --- mean, deviation and overhead of samples --- */

#define assert_close(got, wanted) \
    assert_true(fabs((got) - (double)(wanted)) <= 1e-12 * (double)(wanted))

TEST(nothing_measured_is_zero)
{
    const struct keel_cost cost = {0};

    assert_true(keel_cost_mean_ns(&cost) == 0);
    assert_true(keel_cost_deviation_ns(&cost) == 0);
    assert_true(keel_cost_overhead_ns(&cost) == 0);
}

/* Two iterations at 10, three at 20, five at 10: mean 130/10, variance (2*9 + 3*49 + 5*9) / 2. */
static void add_sample(struct keel_cost *cost, int from, int to)
{
    static const double chunks[][3] = {{2, 20, 1}, {3, 60, 2}, {5, 50, 6}};

    for (int i = from; i < to; i++) {
        keel_cost_add(cost, (uint64_t)chunks[i][0], chunks[i][1], chunks[i][2]);
    }
}

TEST(merging_is_adding_everything)
{
    for (int split = 0; split <= 3; split++) {
        struct keel_cost one = {0}, other = {0};
        add_sample(&one, 0, split);
        add_sample(&other, split, 3);
        keel_cost_merge(&one, &other);
        assert_int_equal(one.chunks, 3);
        assert_int_equal(one.iterations, 10);
        assert_close(keel_cost_mean_ns(&one), 13);
        assert_close(keel_cost_deviation_ns(&one), sqrt(105));
        assert_close(keel_cost_overhead_ns(&one), 3);
    }
}

/* As if half as many chunks of half as many iterations had been seen: 210 / 2 over one of two. */
TEST(half_of_what_was_seen_counts)
{
    struct keel_cost cost = {0};

    add_sample(&cost, 0, 3);
    keel_cost_halve(&cost);
    assert_int_equal(cost.chunks, 2);
    assert_int_equal(cost.iterations, 5);
    assert_close(keel_cost_mean_ns(&cost), 13);
    assert_close(keel_cost_deviation_ns(&cost), sqrt(105));
    assert_close(keel_cost_overhead_ns(&cost), 2.25);
}

/* Equal times may leave a spread of either sign by rounding. */
TEST(equal_times_have_no_deviation)
{
    struct keel_cost cost = {0};

    for (int i = 1; i <= 1000; i++) {
        keel_cost_add(&cost, (uint64_t)i, i * 0.1, 0);
    }
    assert_close(keel_cost_mean_ns(&cost), 0.1);
    assert_true(keel_cost_deviation_ns(&cost) < 1e-6);
    assert_false(isnan(keel_cost_deviation_ns(&cost)));
}

TEST(only_wanted_parameters_are_filled_in)
{
    struct keel_cost cost = {0};

    add_sample(&cost, 0, 3);
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        struct keel_spec spec = keel_spec_of(keel_registry[i]);
        struct keel_spec wanted = spec;
        wanted.given = keel_registry[i]->measured;
        if (wanted.given & KEEL_BIT(KEEL_MU)) {
            wanted.value[KEEL_MU].real = keel_cost_mean_ns(&cost);
        }
        if (wanted.given & KEEL_BIT(KEEL_SIGMA)) {
            wanted.value[KEEL_SIGMA].real = keel_cost_deviation_ns(&cost);
        }
        if (wanted.given & KEEL_BIT(KEEL_OVERHEAD)) {
            wanted.value[KEEL_OVERHEAD].real = keel_cost_overhead_ns(&cost);
        }
        keel_cost_complete(&cost, &spec);
        assert_true(keel_spec_equal(&spec, &wanted));
        assert_int_equal(keel_spec_unmeasured(&spec), 0);
    }
}

TEST(given_parameters_stay)
{
    struct keel_cost cost = {0};
    struct keel_spec spec = keel_spec_of(&keel_schedule_bold);

    add_sample(&cost, 0, 3);
    spec.value[KEEL_SIGMA].real = 0;
    spec.given = KEEL_BIT(KEEL_SIGMA);
    assert_int_equal(keel_spec_unmeasured(&spec), KEEL_BIT(KEEL_MU) | KEEL_BIT(KEEL_OVERHEAD));
    keel_cost_complete(&cost, &spec);
    assert_true(spec.value[KEEL_SIGMA].real == 0);
    assert_close(spec.value[KEEL_MU].real, 13);
    assert_close(spec.value[KEEL_OVERHEAD].real, 3);

    keel_cost_add(&cost, 1, 1e6, 1e6); /* a second completion finds nothing missing */
    keel_cost_complete(&cost, &spec);
    assert_close(spec.value[KEEL_MU].real, 13);
}

static void assert_completed_within_ranges(const struct keel_cost *cost, double mu)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_bold);

    keel_cost_complete(cost, &spec);
    for (int i = KEEL_MU; i <= KEEL_OVERHEAD; i++) {
        assert_true(spec.value[i].real >= keel_parameters[i].lowest.real);
        assert_true(spec.value[i].real <= keel_parameters[i].highest.real);
    }
    assert_true(spec.value[KEEL_MU].real == mu);
}

/* mu must not become 0: schedules divide by it. */
TEST(measurements_are_kept_within_ranges)
{
    allow_exceptions();
    struct keel_cost none = {0}, instant = {0}, endless = {0}, broken = {0};

    keel_cost_add(&instant, 1000000, 0, 0);
    keel_cost_add(&endless, 1, 1e300, DBL_MAX);
    keel_cost_add(&endless, 1, 1e-300, DBL_MAX);
    keel_cost_add(&broken, 1, NAN, NAN);
    assert_completed_within_ranges(&none, 1e-3);
    assert_completed_within_ranges(&instant, 1e-3);
    assert_completed_within_ranges(&endless, 1e18);
    assert_completed_within_ranges(&broken, 1e-3);
}

/* --- the smallest chunk: sizes, bounds, and which schedules keep to it --- */

TEST(it_lasts_as_long_as_32_claims)
{
    assert_int_equal(keel_least_chunk(50, 10), 160);
    assert_int_equal(keel_least_chunk(50, 1600), 1);
    assert_int_equal(keel_least_chunk(50, 1599), 2);
    assert_int_equal(keel_least_chunk(20, 1e9), 1);
    assert_int_equal(keel_least_chunk(0.5, 0.25), 64);
}

TEST(costs_that_are_not_known_leave_single_iterations)
{
    allow_exceptions();
    static const double unknown[] = {0, -1, NAN, INFINITY};

    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_int_equal(keel_least_chunk(unknown[i], 10), 1);
        assert_int_equal(keel_least_chunk(50, unknown[i]), 1);
    }
}

TEST(it_leaves_each_thread_16_chunks)
{
    assert_int_equal(keel_least_chunk_within(160, 32 * 160, 2), 160);
    assert_int_equal(keel_least_chunk_within(160, 32 * 160 - 1, 2), 159);
    assert_int_equal(keel_least_chunk_within(160, 31, 2), 1);
    assert_int_equal(keel_least_chunk_within(160, 0, 2), 1);
    assert_int_equal(keel_least_chunk_within(1, UINT64_MAX, 1), 1);
    /* an extreme pair of costs, and an extreme loop */
    assert_in_range(keel_least_chunk_within(keel_least_chunk(1e18, 1e-3), UINT64_MAX, 1), 1,
                    UINT64_MAX / 16);
}

static struct keel_spec spec_of(const char *text)
{
    struct keel_spec spec;
    char problem[KEEL_PROBLEM_MAX];

    assert_int_equal(keel_spec_read(text, strlen(text), &spec, problem), KEEL_SPEC_GOOD);
    return spec;
}

TEST(a_stated_one_is_not_measured)
{
    static const char *const stated[] = {"ss",      "css,5",      "static", "gss,1", "fac2:min=1",
                                         "steal,3", "tss,100,10", "aid,4",  "rate",  "auto"};
    static const char *const open[] = {"gss",   "tss",   "tss,100", "fac2", "fac:mu=3,sigma=1",
                                       "awf-c", "steal", "af",      "wf2",  "pls"};

    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        struct keel_spec spec = spec_of(stated[i]);
        assert_true(keel_least_chunk_is_stated(&spec));
        spec = spec_of(open[i]);
        assert_false(keel_least_chunk_is_stated(&spec));
    }
}

/* All chunks of gss but the last, over 4000 iterations of which 125 or more are a chunk. */
TEST(plans_keep_to_it)
{
    struct keel_spec spec = spec_of("gss");
    struct keel_problem problem = {.spec = &spec, .iterations = 4000, .threads = 2};
    struct keel_plan fallback;
    uint64_t first, last, chunks = 0;

    spec.value[KEEL_MIN].count = 1000;
    spec.min_measured = true;
    struct keel_plan *plan = keel_plan_build(&problem, realloc, &fallback);
    for (; keel_plan_chunk(plan, chunks, &first, &last); chunks++) {
        assert_true(last - first >= 125 || last == 4000);
    }
    assert_in_range(chunks, 6, 8); /* 2000 1000 500 250 125 and one: 13 with single iterations */
    free(plan);
}

TEST(blocks_keep_to_it)
{
    struct keel_spec spec = spec_of("steal");
    struct keel_team *team = aligned_alloc(64, keel_team_size(2));
    struct keel_team_worker worker;
    uint64_t first, last, chunks = 0;

    spec.value[KEEL_MIN].count = 1000;
    spec.min_measured = true;
    keel_team_begin(team, &spec, 4001, 2, NULL, NULL);
    keel_team_worker_begin(&worker, team, 0, (struct keel_pace){0});
    for (; keel_team_worker_next(&worker, &first, &last); chunks++) {
        assert_true(last - first >= 125 || last >= 4000 || last == 2000);
        keel_team_worker_done(&worker, 0, 0);
    }
    assert_in_range(chunks, 17, 40); /* of 7 iterations, they would be 500 */
    free(team);
}

/* --- trials with known answers --- */

/* 400 + 10 * 30 + 600 / 2 = 1000 ns */
static const struct keel_scheduling_cost micro = {
    .start_ns = 400, .claim_ns = 30, .claims = 10, .chunk_ns = 600};

static struct keel_trials trials_of(unsigned count, double span_ns, double gain_ns)
{
    struct keel_trials trials = {0};

    for (unsigned i = 0; i < count; i++) {
        keel_trials_add(&trials, span_ns, gain_ns, 100);
    }
    return trials;
}

TEST(a_short_loop_that_gains_less_than_it_costs_is_static)
{
    struct keel_trials balanced = trials_of(5, 5000, 200), skewed = trials_of(5, 5000, 1100);

    assert_true(keel_worthwhile_static(&micro, &balanced, false));
    assert_false(keel_worthwhile_static(&micro, &skewed, false));
}

TEST(a_long_loop_is_scheduled_whatever_it_gains)
{
    struct keel_trials under = trials_of(5, 32000, 0), over = trials_of(5, 32001, 0);

    assert_true(keel_worthwhile_static(&micro, &under, false));
    assert_false(keel_worthwhile_static(&micro, &over, false));
}

TEST(what_is_settled_stays_until_it_is_twice_as_bad)
{
    struct keel_trials gain = trials_of(5, 5000, 1900), more = trials_of(5, 5000, 2100);
    struct keel_trials longer = trials_of(5, 60000, 0), longest = trials_of(5, 65000, 0);

    assert_true(keel_worthwhile_static(&micro, &gain, true));
    assert_false(keel_worthwhile_static(&micro, &more, true));
    assert_true(keel_worthwhile_static(&micro, &longer, true));
    assert_false(keel_worthwhile_static(&micro, &longest, true));
}

TEST(what_differs_counts_by_its_median)
{
    static const double gain_ns[] = {500, 100, 400, 300, 200};
    struct keel_trials trials = {0};

    assert_true(keel_trials_gain_ns(&trials) == 0);
    for (unsigned i = 0; i < 5; i++) {
        keel_trials_add(&trials, 5000 + gain_ns[i], gain_ns[i], 2 * gain_ns[i]);
        assert_true(i != 3 || keel_trials_gain_ns(&trials) == 350); /* 300 and 400 in the middle */
    }
    assert_true(keel_trials_gain_ns(&trials) == 300);
    assert_true(keel_trials_start_ns(&trials) == 600);
    assert_true(keel_trials_span_ns(&trials) == 5300);
}

TEST(a_short_region_is_passed_on_when_it_has_needed_nothing_often_enough)
{
    assert_false(keel_worthwhile_pass(1000, 7, 0));
    assert_true(keel_worthwhile_pass(1000, 8, 0));
    assert_true(keel_worthwhile_pass(100e3, 8, 0));
    assert_false(keel_worthwhile_pass(101e3, 8, 0));
    assert_false(keel_worthwhile_pass(1000, 31, 2));
    assert_true(keel_worthwhile_pass(1000, 32, 2));
    assert_false(keel_worthwhile_pass(1000, 4000000000, 8));
}

/* Each place of a cycle of regions gets its turn. */
TEST(every_region_of_a_cycle_is_looked_at)
{
    for (unsigned long length = 1; length <= 64; length++) {
        unsigned long looked[64] = {0};
        for (unsigned long region = 1; region <= 64 * 251; region++) {
            looked[region % length] += keel_worthwhile_recheck(region);
        }
        for (unsigned long place = 0; place < length; place++) {
            assert_true(looked[place] >= 1);
        }
    }
}

/* --- profiles: cost profiles: work, its inverse, and what chunks teach; examples worked out by
 * hand --- */

#define BINS KEEL_PROFILE_BINS
#define assert_closely(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-9)

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
    assert_closely(sum / BINS, 1);
}

TEST(a_new_profile_is_flat)
{
    struct keel_profile profile;

    keel_profile_begin(&profile);
    assert_normal(&profile);
    for (int i = 0; i <= 100; i++) {
        assert_closely(keel_profile_work(&profile, i / 100.), i / 100.);
        assert_closely(keel_profile_position(&profile, i / 100.), i / 100.);
    }
    for (int b = 0; b < BINS; b++) {
        assert_true(profile.seen[b] == 0);
    }
}

TEST(work_is_piecewise_linear)
{
    const struct keel_profile profile = halves(1.5, 0.5, 1);

    assert_closely(keel_profile_work(&profile, 0.25), 0.375);
    assert_closely(keel_profile_work(&profile, 0.5), 0.75);
    assert_closely(keel_profile_work(&profile, 0.75), 0.875);
    assert_closely(keel_profile_work(&profile, 1 / 128.), 1.5 / 128);
    assert_closely(keel_profile_position(&profile, 0.375), 0.25);
    assert_closely(keel_profile_position(&profile, 0.75), 0.5);
    assert_closely(keel_profile_position(&profile, 0.875), 0.75);
}

TEST(ends_are_exact_and_nothing_lies_beyond)
{
    allow_exceptions();
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
    assert_closely(sample.iterations[30], 0);
    assert_closely(sample.iterations[31], 10);
    assert_closely(sample.iterations[32], 5);
    assert_closely(sample.time_ns[31], 1200);
    assert_closely(sample.time_ns[32], 200);
    assert_closely(sample.time_ns[33], 0);
}

TEST(chunks_that_cannot_be_are_left_out)
{
    allow_exceptions();
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
    assert_closely(profile.cost[0], (5 * 1.5 + 10 * 2.25) / 15);
    assert_closely(profile.cost[16], (5 * 1.5 + 10 * 0.75) / 15);
    assert_closely(profile.cost[40], 0.5);
    assert_closely(profile.seen[40], 10);
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
        assert_closely(profile.cost[b] / profile.cost[10], b <= 15 ? 1. : 3.);
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
    assert_closely(profile.cost[0], 2. / 3);
    assert_closely(profile.cost[63], 4. / 3);
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
