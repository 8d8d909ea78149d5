/* Forecasts by hand, by the rules of chance, and at the extremes. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/claim/team.h"
#include "schedules/forecast/predict.h"
#include "tests/schedules/support/specs.h"
#include "tests/support/unit.h"

static const struct keel_claim_costs no_costs = {0};
static const struct keel_claim_costs costs = {
    .step_ns = 20, .own_ns = 3, .weighted_ns = 30, .timed_ns = 60, .start_ns = 200};
static const double slow_and_quick[] = {1.0 / 3, 5.0 / 3};

static void assert_close(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance * fmax(1, fabs(wanted)))) {
        fail_msg("%.12g instead of %.12g", value, wanted);
    }
}

/* Two threads, 100 ns an iteration. */
static struct keel_workload pair(uint64_t iterations)
{
    return (struct keel_workload){.iterations = iterations, .threads = 2, .iteration_ns = 100};
}

static struct keel_forecast forecast_of(const char *text, const struct keel_workload *workload,
                                        const struct keel_claim_costs *claim_costs)
{
    struct keel_spec spec = specs_read(text);

    return keel_predict(&spec, workload, claim_costs);
}

static void assert_forecast(struct keel_forecast forecast, double time_ns, double chunks)
{
    assert_close(forecast.time_ns, time_ns, 1e-9);
    assert_close(forecast.chunks, chunks, 1e-9);
}

static void assert_possible(const char *text, struct keel_forecast forecast,
                            const struct keel_workload *workload)
{
    double ideal = keel_predict_ideal_ns(workload);

    if (!(forecast.time_ns >= ideal && forecast.time_ns < INFINITY)) {
        fail_msg("%s: %g ns, ideal %g", text, forecast.time_ns, ideal);
    }
    if (!(forecast.chunks >= 1 && forecast.chunks <= 1.01 * (double)workload->iterations + 1)) {
        fail_msg("%s: %g chunks of %g iterations", text, forecast.chunks,
                 (double)workload->iterations);
    }
    if (!(forecast.imbalance > -1e-9 && forecast.imbalance <= (double)workload->threads)) {
        fail_msg("%s: imbalance %g", text, forecast.imbalance);
    }
}

/* --- by hand --- */

TEST(static_blocks_end_with_the_slowest)
{
    struct keel_workload workload = pair(1000);

    assert_forecast(forecast_of("static", &workload, &costs), 50003, 2);
    assert_close(forecast_of("static", &workload, &costs).imbalance, 0, 1e-12);
    workload.speed = slow_and_quick;
    /* 500 x 300 + 3 beside 500 x 60 + 3 */
    assert_forecast(forecast_of("static", &workload, &costs), 150003, 2);
    assert_close(forecast_of("static", &workload, &costs).imbalance, 150003 / 90003.0 - 1, 1e-12);
}

/* Batches of 6, 4 and 2: 1 | 5, 1 | 3, - | 2. Both end at 600. */
TEST(weights_divide_batches)
{
    struct keel_workload workload = pair(12);

    workload.speed = workload.weights = slow_and_quick;
    assert_forecast(forecast_of("wf2", &workload, &no_costs), 600, 5);
    assert_forecast(forecast_of("awf", &workload, &no_costs), 600, 5);
    workload.weights = NULL;
    /* weights of 1: 3 | 3, 1 1 2 | 0 ... the slow thread needs 900 for its first chunk */
    assert_close(forecast_of("wf2", &workload, &no_costs).time_ns, 900, 1e-9);
}

/* Stated weights are not for schedules that learn theirs. */
TEST(learned_weights_are_speeds)
{
    struct keel_workload workload = pair(100000);

    workload.speed = slow_and_quick;
    workload.weights = (const double[]){5.0 / 3, 1.0 / 3};
    const char *const learning[] = {"awf", "awf-b", "awf-c", "awf-d", "awf-e", "rate", "af"};
    for (size_t i = 0; i < sizeof learning / sizeof learning[0]; i++) {
        assert_in_range(forecast_of(learning[i], &workload, &no_costs).time_ns, 5000000, 5050000);
    }
    assert_true(forecast_of("wf2", &workload, &no_costs).time_ns > 10000000);
}

/* --- chance --- */

/* Who comes by at any time meets a chunk of 100 + 50^2 / 100 ns; of two threads, the one that has
 * more of its last chunk ahead has 2/3 of that, and they have 1/2 on average. */
TEST(long_sequences_end_unevenly)
{
    struct keel_workload workload = pair(2000);

    assert_close(forecast_of("ss", &workload, &no_costs).time_ns, 100000 + 100 / 6.0, 1e-6);
    workload.deviation_ns = 50;
    struct keel_forecast forecast = forecast_of("ss", &workload, &no_costs);
    assert_close(forecast.time_ns, 100000 + 125 / 6.0, 1e-6);
    assert_true(forecast.imbalance > 0 && forecast.imbalance < 1e-3);
}

/* --- extremes --- */

TEST(an_empty_loop_takes_no_time)
{
    struct keel_workload workload = pair(0);

    assert_forecast(forecast_of("gss", &workload, &costs), 0, 0);
    assert_close(keel_predict_ideal_ns(&workload), 0, 0);
    workload = pair(10);
    workload.threads = 0;
    assert_forecast(forecast_of("gss", &workload, &costs), 0, 0);
}

TEST(large_teams_are_forecast)
{
    enum { THREADS = 1024 };
    double *speed = malloc(THREADS * sizeof *speed);

    for (int i = 0; i < THREADS; i++) {
        speed[i] = i % 2 == 0 ? 0.5 : 1.5;
    }
    struct keel_workload workload = {.iterations = 1 << 20,
                                     .threads = THREADS,
                                     .iteration_ns = 100,
                                     .speed = speed,
                                     .wobble = 0.01};
    assert_in_range(forecast_of("static", &workload, &no_costs).time_ns, 204800, 225000);
    assert_in_range(forecast_of("fac2", &workload, &no_costs).time_ns, 102400, 110000);
    assert_in_range(forecast_of("awf", &workload, &no_costs).time_ns, 102400, 105000);
    assert_in_range(forecast_of("steal", &workload, &no_costs).time_ns, 102400, 110000);
    free(speed);
}

TEST(impossible_numbers_are_replaced)
{
    const double bad[] = {NAN, -1, INFINITY, -INFINITY};
    struct keel_profile profile;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const double b = bad[i], pairs[] = {b, b};
        struct keel_claim_costs bad_costs = {b, b, b, b, b};
        keel_profile_begin(&profile);
        memcpy(profile.cost, pairs, sizeof pairs);
        struct keel_workload workload = {.iterations = 5000,
                                         .threads = 2,
                                         .profile = &profile,
                                         .iteration_ns = 100,
                                         .deviation_ns = b,
                                         .speed = pairs,
                                         .late_ns = pairs,
                                         .wobble = b};
        for (const char *const *text = specs_texts; *text != NULL; text++) {
            assert_possible(*text, forecast_of(*text, &workload, &bad_costs), &workload);
        }
        assert_close(keel_predict_ideal_ns(&workload), 250000, 1e-12);
        workload.iteration_ns = b;
        assert_close(forecast_of("fac2", &workload, &bad_costs).time_ns, 0, 0);
    }
}

TEST(without_memory_there_is_no_forecast)
{
    struct keel_workload workload = pair(1000);

    workload.threads = UINT64_MAX;
    assert_true(isinf(forecast_of("static", &workload, &no_costs).time_ns));
}
