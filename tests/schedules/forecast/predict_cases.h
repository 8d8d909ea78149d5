/* Small workloads, and their forecasts, for tests. Comes after
 * <cmocka.h>. */
#ifndef TESTS_SCHEDULES_FORECAST_PREDICT_CASES_H
#define TESTS_SCHEDULES_FORECAST_PREDICT_CASES_H

#include <math.h>

#include "schedules/claim/team.h"
#include "schedules/forecast/predict.h"
#include "tests/schedules/support/specs.h"

static const struct keel_claim_costs no_costs = {0};
static const struct keel_claim_costs costs = {
    .step_ns = 20, .own_ns = 3, .weighted_ns = 30, .timed_ns = 60, .start_ns = 200};
static const double slow_and_quick[] = {1.0 / 3, 5.0 / 3};

static inline void assert_close(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance * fmax(1, fabs(wanted)))) {
        fail_msg("%.12g instead of %.12g", value, wanted);
    }
}

/* Two threads, 100 ns an iteration. */
static inline struct keel_workload pair(uint64_t iterations)
{
    return (struct keel_workload){.iterations = iterations, .threads = 2, .iteration_ns = 100};
}

static inline struct keel_forecast forecast_of(const char *text,
                                               const struct keel_workload *workload,
                                               const struct keel_claim_costs *claim_costs)
{
    struct keel_spec spec = specs_read(text);

    return keel_predict(&spec, workload, claim_costs);
}

static inline void assert_forecast(struct keel_forecast forecast, double time_ns, double chunks)
{
    assert_close(forecast.time_ns, time_ns, 1e-9);
    assert_close(forecast.chunks, chunks, 1e-9);
}

static inline void assert_possible(const char *text, struct keel_forecast forecast,
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

#endif
