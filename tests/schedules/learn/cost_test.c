/* Mean, deviation and overhead from chunk times; samples worked out by hand. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "schedules/learn/cost.h"
#include "schedules/loop/parameter.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

#define assert_close(got, wanted) \
    assert_true(fabs((got) - (double)(wanted)) <= 1e-12 * (double)(wanted))

static void nothing_measured_is_zero(void **state)
{
    const struct keel_cost cost = {0};

    (void)state;
    assert_true(keel_cost_mean_ns(&cost) == 0);
    assert_true(keel_cost_deviation_ns(&cost) == 0);
    assert_true(keel_cost_overhead_ns(&cost) == 0);
}

static void one_chunk_has_no_deviation(void **state)
{
    struct keel_cost cost = {0};

    (void)state;
    keel_cost_add(&cost, 4, 50, 8);
    assert_close(keel_cost_mean_ns(&cost), 12.5);
    assert_true(keel_cost_deviation_ns(&cost) == 0);
    assert_close(keel_cost_overhead_ns(&cost), 8);
}

/* 10 20 30: variance (100 + 0 + 100) / 2 */
static void single_iterations_give_the_sample_deviation(void **state)
{
    struct keel_cost cost = {0};

    (void)state;
    keel_cost_add(&cost, 1, 10, 5);
    keel_cost_add(&cost, 1, 20, 7);
    keel_cost_add(&cost, 1, 30, 15);
    assert_close(keel_cost_mean_ns(&cost), 20);
    assert_close(keel_cost_deviation_ns(&cost), 10);
    assert_close(keel_cost_overhead_ns(&cost), 9);
}

/* Two iterations at 10, three at 20, five at 10: mean 130/10, variance (2*9 + 3*49 + 5*9) / 2. */
static void add_sample(struct keel_cost *cost, int from, int to)
{
    static const double chunks[][3] = {{2, 20, 1}, {3, 60, 2}, {5, 50, 6}};

    for (int i = from; i < to; i++) {
        keel_cost_add(cost, (uint64_t)chunks[i][0], chunks[i][1], chunks[i][2]);
    }
}

static void chunks_weigh_by_their_iterations(void **state)
{
    struct keel_cost cost = {0};

    (void)state;
    add_sample(&cost, 0, 3);
    assert_close(keel_cost_mean_ns(&cost), 13);
    assert_close(keel_cost_deviation_ns(&cost), sqrt(105));
    assert_close(keel_cost_overhead_ns(&cost), 3);
}

static void merging_is_adding_everything(void **state)
{
    (void)state;
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
static void half_of_what_was_seen_counts(void **state)
{
    struct keel_cost cost = {0};

    (void)state;
    add_sample(&cost, 0, 3);
    keel_cost_halve(&cost);
    assert_int_equal(cost.chunks, 2);
    assert_int_equal(cost.iterations, 5);
    assert_close(keel_cost_mean_ns(&cost), 13);
    assert_close(keel_cost_deviation_ns(&cost), sqrt(105));
    assert_close(keel_cost_overhead_ns(&cost), 2.25);
}

/* Equal times may leave a spread of either sign by rounding. */
static void equal_times_have_no_deviation(void **state)
{
    struct keel_cost cost = {0};

    (void)state;
    for (int i = 1; i <= 1000; i++) {
        keel_cost_add(&cost, (uint64_t)i, i * 0.1, 0);
    }
    assert_close(keel_cost_mean_ns(&cost), 0.1);
    assert_true(keel_cost_deviation_ns(&cost) < 1e-6);
    assert_false(isnan(keel_cost_deviation_ns(&cost)));
}

/* Iterations far below a microsecond, even below a nanosecond, keep their mean. */
static void short_iterations_are_not_truncated(void **state)
{
    struct keel_cost cost = {0};
    struct keel_spec spec = keel_spec_of(&keel_schedule_bold);

    (void)state;
    keel_cost_add(&cost, 1000, 350, 0.25);
    keel_cost_add(&cost, 1000, 450, 0.75);
    assert_close(keel_cost_mean_ns(&cost), 0.4);
    /* variance 1000 (0.05^2 + 0.05^2) / 1 */
    assert_true(fabs(keel_cost_deviation_ns(&cost) - sqrt(5)) < 1e-9);
    keel_cost_complete(&cost, &spec);
    assert_close(spec.value[KEEL_MU].real, 0.4);
    assert_close(spec.value[KEEL_OVERHEAD].real, 0.5);
}

static void only_wanted_parameters_are_filled_in(void **state)
{
    struct keel_cost cost = {0};

    (void)state;
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

static void given_parameters_stay(void **state)
{
    struct keel_cost cost = {0};
    struct keel_spec spec = keel_spec_of(&keel_schedule_bold);

    (void)state;
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
static void measurements_are_kept_within_ranges(void **state)
{
    struct keel_cost none = {0}, instant = {0}, endless = {0}, broken = {0};

    (void)state;
    keel_cost_add(&instant, 1000000, 0, 0);
    keel_cost_add(&endless, 1, 1e300, DBL_MAX);
    keel_cost_add(&endless, 1, 1e-300, DBL_MAX);
    keel_cost_add(&broken, 1, NAN, NAN);
    assert_completed_within_ranges(&none, 1e-3);
    assert_completed_within_ranges(&instant, 1e-3);
    assert_completed_within_ranges(&endless, 1e18);
    assert_completed_within_ranges(&broken, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_measured_is_zero),
        cmocka_unit_test(one_chunk_has_no_deviation),
        cmocka_unit_test(single_iterations_give_the_sample_deviation),
        cmocka_unit_test(chunks_weigh_by_their_iterations),
        cmocka_unit_test(merging_is_adding_everything),
        cmocka_unit_test(half_of_what_was_seen_counts),
        cmocka_unit_test(equal_times_have_no_deviation),
        cmocka_unit_test(short_iterations_are_not_truncated),
        cmocka_unit_test(only_wanted_parameters_are_filled_in),
        cmocka_unit_test(given_parameters_stay),
        cmocka_unit_test(measurements_are_kept_within_ranges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
