/* Estimates of lambda and mu, from drawn arrivals; and what the model expects by them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/model/iterative/arrivals.h"
#include "schedules/model/iterative/dynamics.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"

#define WORKERS 4

static struct keel_arrivals *make(uint32_t workers)
{
    struct keel_arrivals *arrivals = malloc(keel_arrivals_size(workers));

    assert_non_null(arrivals);
    keel_arrivals_begin(arrivals, workers);
    return arrivals;
}

/* How many come in time_s at a rate, each at any time with the same chance (Knuth). */
static double poisson(struct draws *draws, double mean)
{
    double product = 1, limit = exp(-mean);
    int count = -1;

    do {
        product *= 1 - draws_real(draws);
        count++;
    } while (product > limit);
    return count;
}

/* Changes 4, -2 and 10 in 1, 2 and 2 s, the same weights but for memory m = 7/8:
 * d = (m^2 4 - m 2 + 10) / (m^2 + 2 m + 2) */
static void estimates_are_weighted_sums(void **state)
{
    struct keel_arrivals *arrivals = make(1);
    double m = KEEL_ARRIVALS_MEMORY, time_s = m * m + 2 * m + 2;
    double change = 4 * m * m - 2 * m + 10, squared = 16 * m * m + 2 * m + 50;
    double spread = m * m * m * m + 2 * m * m + 2;

    (void)state;
    struct keel_arrivals_estimate nothing = keel_arrivals_of(arrivals, 0);
    assert_true(nothing.drift == 0 && nothing.variance == 0 && isinf(nothing.error));
    keel_arrivals_note(arrivals, 1, (double[]){10}, (double[]){14});
    assert_true(isinf(keel_arrivals_of(arrivals, 0).error));
    assert_true(keel_arrivals_drift(arrivals, 0) == 0);
    keel_arrivals_note(arrivals, 2, (double[]){14}, (double[]){12});
    keel_arrivals_note(arrivals, 2, (double[]){12}, (double[]){22});
    struct keel_arrivals_estimate estimate = keel_arrivals_of(arrivals, 0);
    double variance = (squared - change * change / time_s) / (m * m + m + 1 - spread / time_s);
    assert_float_equal(estimate.drift, change / time_s, 1e-12);
    assert_float_equal(estimate.variance, variance, 1e-12);
    assert_float_equal(estimate.error, sqrt(variance * spread) / time_s, 1e-12);
    free(arrivals);
}

/* Work that balancing moves between notes is none that comes or goes. */
static void what_balancing_moves_does_not_count(void **state)
{
    struct keel_arrivals *arrivals = make(2);
    double work[2] = {100, 100};

    (void)state;
    for (int times = 0; times < 20; times++) {
        double after[2] = {work[0] + 3, work[1] - 3};
        keel_arrivals_note(arrivals, 1, work, after);
        double moved = times % 2 == 0 ? 40 : -40; /* balancing */
        work[0] = after[0] - moved;
        work[1] = after[1] + moved;
    }
    assert_float_equal(keel_arrivals_drift(arrivals, 0), 3, 1e-9);
    assert_float_equal(keel_arrivals_drift(arrivals, 1), -3, 1e-9);
    free(arrivals);
}

/* Tasks come and go at drawn rates, noted at uneven times, with balancing in between. Over many
 * jobs the means of the estimates are the rates: no bias beyond three standard errors. */
static void estimates_have_no_bias(void **state)
{
    static const double lambda[WORKERS] = {12, 3, 0, 6}, mu[WORKERS] = {2, 3, 8, 8};
    struct draws draws = draws_begin();
    double sum[WORKERS][2] = {{0}}, squares[WORKERS][2] = {{0}};
    enum { JOBS = 1000 };

    (void)state;
    for (int job = 0; job < JOBS; job++) {
        struct keel_arrivals *arrivals = make(WORKERS);
        double work[WORKERS] = {5000, 5000, 5000, 5000};
        for (int note = 0; note < 60; note++) {
            double time_s = 0.5 + draws_real(&draws), after[WORKERS];
            for (int w = 0; w < WORKERS; w++) {
                after[w] =
                    work[w] + poisson(&draws, lambda[w] * time_s) - poisson(&draws, mu[w] * time_s);
            }
            keel_arrivals_note(arrivals, time_s, work, after);
            double all = after[0] + after[1] + after[2] + after[3];
            for (int w = 0; w < WORKERS; w++) {
                work[w] = note % 5 == 0 ? all / WORKERS : after[w];
            }
        }
        for (int w = 0; w < WORKERS; w++) {
            struct keel_arrivals_estimate estimate = keel_arrivals_of(arrivals, (uint32_t)w);
            double value[2] = {estimate.drift, estimate.variance};
            for (int i = 0; i < 2; i++) {
                sum[w][i] += value[i];
                squares[w][i] += value[i] * value[i];
            }
        }
        free(arrivals);
    }
    for (int w = 0; w < WORKERS; w++) {
        double truth[2] = {lambda[w] - mu[w], lambda[w] + mu[w]};
        for (int i = 0; i < 2; i++) {
            double mean = sum[w][i] / JOBS;
            double error = sqrt((squares[w][i] / JOBS - mean * mean) / JOBS);
            if (!(fabs(mean - truth[i]) < 4 * error)) {
                fail_msg("worker %d, %s: %g, is %g +- %g", w, i ? "variance" : "drift", truth[i],
                         mean, error);
            }
        }
    }
}

/* The stated standard error is what the estimates stray by; and lambda and mu follow. */
static void errors_are_what_estimates_stray_by(void **state)
{
    struct draws draws = draws_begin();
    double strayed = 0, stated = 0, lambda = 0, mu = 0;
    enum { JOBS = 1000 };

    (void)state;
    for (int job = 0; job < JOBS; job++) {
        struct keel_arrivals *arrivals = make(1);
        for (int note = 0; note < 60; note++) {
            double change = poisson(&draws, 9) - poisson(&draws, 4);
            keel_arrivals_note(arrivals, 1, (double[]){1000}, (double[]){1000 + change});
        }
        struct keel_arrivals_estimate estimate = keel_arrivals_of(arrivals, 0);
        struct keel_arrivals_flows flows = keel_arrivals_flows(arrivals, 0, 1);
        strayed += (estimate.drift - 5) * (estimate.drift - 5);
        stated += estimate.error * estimate.error;
        lambda += flows.lambda / JOBS;
        mu += flows.mu / JOBS;
        free(arrivals);
    }
    assert_true(fabs(strayed / stated - 1) < 0.25);
    assert_float_equal(lambda, 9, 0.5);
    assert_float_equal(mu, 4, 0.5);
}

/* Rates that change are followed: after 40 notes nothing is left of what was before. */
static void what_was_before_is_forgotten(void **state)
{
    struct keel_arrivals *arrivals = make(1);

    (void)state;
    for (int note = 0; note < 100; note++) {
        keel_arrivals_note(arrivals, 1, (double[]){500}, (double[]){note < 60 ? 520 : 495});
    }
    assert_float_equal(keel_arrivals_of(arrivals, 0).drift, -5, 0.2);
    free(arrivals);
}

static void chance_is_no_drift(void **state)
{
    struct draws draws = draws_begin();
    int drifts = 0;

    (void)state;
    for (int job = 0; job < 500; job++) {
        struct keel_arrivals *arrivals = make(1);
        for (int note = 0; note < 40; note++) {
            double change = poisson(&draws, 6) - poisson(&draws, 6);
            keel_arrivals_note(arrivals, 1, (double[]){900}, (double[]){900 + change});
        }
        drifts += keel_arrivals_drift(arrivals, 0) != 0;
        free(arrivals);
    }
    assert_in_range(drifts, 1, 50); /* 5 % are beyond two standard errors, a little more of few */
}

static void odd_numbers_are_ignored(void **state)
{
    static const double odd[] = {-1, NAN, INFINITY, -INFINITY};
    struct keel_arrivals *arrivals = make(1);

    (void)state;
    for (int i = 0; i < 4; i++) {
        keel_arrivals_note(arrivals, odd[i], (double[]){1}, (double[]){2});
        keel_arrivals_note(arrivals, 1, (double[]){odd[i]}, (double[]){2});
        keel_arrivals_note(arrivals, 1, (double[]){1}, (double[]){odd[i]});
    }
    keel_arrivals_note(arrivals, 0, (double[]){1}, (double[]){2});
    assert_true(arrivals->notes == 0);
    free(arrivals);
}

/* --- what the model expects --- */

static void expected_drifts_add_up_to_what_was_estimated(void **state)
{
    static const double drift[3] = {0.3, -1.25, 0.95};
    struct keel_iterative_expected expected = {.drift = drift};
    double all[3] = {0};

    (void)state;
    for (uint64_t step = 0; step < 1000; step++) {
        uint64_t arriving[3] = {0}, leaving[3] = {0};
        keel_iterative_dynamics_expect(&expected, 3, step, NULL, arriving, leaving);
        for (int w = 0; w < 3; w++) {
            assert_true(arriving[w] == 0 || leaving[w] == 0);
            all[w] += (double)arriving[w] - (double)leaving[w];
        }
    }
    for (int w = 0; w < 3; w++) {
        assert_float_equal(all[w], 1000 * drift[w], 0.51);
    }
}

/* Chance has the stated deviation less what keeps the sum: P - 1 of P degrees. */
static void expected_chance_brings_no_tasks(void **state)
{
    enum { P = 5, STEPS = 3200 };
    static const double drift[P] = {0}, deviation[P] = {40, 40, 40, 40, 40};
    struct keel_iterative_expected expected = {drift, deviation};
    double squares = 0;

    (void)state;
    for (uint64_t step = 0; step < STEPS; step++) {
        uint64_t arriving[P] = {0}, leaving[P] = {0};
        double sum = 0;
        keel_iterative_dynamics_expect(&expected, P, step, NULL, arriving, leaving);
        for (int w = 0; w < P; w++) {
            double by = (double)arriving[w] - (double)leaving[w];
            sum += by;
            squares += by * by;
        }
        assert_true(fabs(sum) <= P / 2.0); /* roundings */
    }
    assert_float_equal(sqrt(squares / STEPS / (P - 1)), 40, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_are_weighted_sums),
        cmocka_unit_test(what_balancing_moves_does_not_count),
        cmocka_unit_test(estimates_have_no_bias),
        cmocka_unit_test(errors_are_what_estimates_stray_by),
        cmocka_unit_test(what_was_before_is_forgotten),
        cmocka_unit_test(chance_is_no_drift),
        cmocka_unit_test(odd_numbers_are_ignored),
        cmocka_unit_test(expected_drifts_add_up_to_what_was_estimated),
        cmocka_unit_test(expected_chance_brings_no_tasks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
