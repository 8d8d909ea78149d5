/* The selection of `auto` under noise, and what choosing costs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "schedules/forecast/selection.h"
#include "tests/schedules/forecast/selection_replay.h"
#include "tests/schedules/support/specs.h"
#include "tests/support/draws.h"

/* --- noise --- */

static double draw_normal(struct draws *draws)
{
    return sqrt(-2 * log(1 - draws_real(draws))) * cos(2 * 3.14159265358979 * draws_real(draws));
}

/* How often it measures in so many instances of a loop whose time strays by `deviation`, and that
 * is held up for as long again with probability `held_up`. */
static uint64_t looks_under_noise(struct draws *draws, double deviation, double held_up)
{
    const double us[] = {100, 101, 102, 130};
    struct keel_selection selection = chosen(us, 4);

    for (int i = 0; i < 10000; i++) {
        int which = keel_selection_next(&selection);
        if (which == KEEL_SELECTION_MEASURE) {
            forecast(&selection, us, 4);
            continue;
        }
        double time = us[which] * fmax(0.2, 1 + deviation * draw_normal(draws));
        time *= draws_real(draws) < held_up ? 2 : 1;
        keel_selection_note(&selection, which, time * 1000, N);
    }
    return selection.measurements;
}

static void noise_is_no_change(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    assert_in_range(looks_under_noise(&draws, 0.02, 0), 1, 3);
    assert_in_range(looks_under_noise(&draws, 0.1, 0), 1, 12);
    assert_in_range(looks_under_noise(&draws, 0.3, 0), 1, 40);
    assert_in_range(looks_under_noise(&draws, 0.02, 0.05), 1, 40);
    assert_in_range(looks_under_noise(&draws, 0.02, 0.2), 1, 100);
}

/* --- what choosing costs --- */

static const char *const candidates[] = {"static", "css,16", "gss", "fac2",  "tss",  "awf",
                                         "awf-c",  "af",     "afs", "steal", "mfsc", "rate"};
#define CANDIDATES (sizeof candidates / sizeof candidates[0])

struct trial {
    double late;  /* the final selection over the best fixed one, - 1 */
    double total; /* 100 instances, all learning included, over the best fixed one, - 1 */
};

static void draw_forecasts(struct draws *draws, struct keel_forecast *forecasts)
{
    static const struct keel_claim_costs costs = {20, 3, 30, 60, 200};
    struct keel_profile profile;
    double speed[8], sum = 0, slope = draws_real(draws) * 1.9 - 0.95;
    bool unequal = draws_below(draws, 2) == 1;
    struct keel_workload workload = {
        .iterations = (uint64_t)exp(4.6 + 9.2 * draws_real(draws)),
        .threads = 2 + draws_below(draws, 7),
        .profile = &profile,
        .iteration_ns = exp(3 + 6 * draws_real(draws)),
        .speed = speed,
        .wobble = 0.05 * draws_real(draws),
    };

    keel_profile_begin(&profile);
    for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
        profile.cost[b] = 1 + slope * ((b + 0.5) * 2 / KEEL_PROFILE_BINS - 1);
    }
    for (uint64_t i = 0; i < workload.threads; i++) {
        speed[i] = unequal ? exp(1.6 * draws_real(draws)) : 1;
        sum += speed[i];
    }
    for (uint64_t i = 0; i < workload.threads; i++) {
        speed[i] *= (double)workload.threads / sum;
    }
    workload.deviation_ns = workload.iteration_ns * draws_real(draws);
    for (size_t i = 0; i < CANDIDATES; i++) {
        struct keel_spec spec = specs_read(candidates[i]);
        forecasts[i] = keel_predict(&spec, &workload, &costs);
    }
}

/* Each candidate takes as long as forecast, but for an error of its own and for noise. Measuring
 * takes half as long again as the best. */
static struct trial try_workload(struct draws *draws, double error, double noise)
{
    struct keel_forecast forecasts[CANDIDATES];
    double real[CANDIDATES], best = INFINITY, total = 0;
    struct keel_selection selection;

    draw_forecasts(draws, forecasts);
    for (size_t i = 0; i < CANDIDATES; i++) {
        real[i] = forecasts[i].time_ns * (1 + error * draw_normal(draws));
        best = fmin(best, real[i]);
    }
    keel_selection_begin(&selection, CANDIDATES, CANDIDATES - 1);
    for (int i = 0; i < 100; i++) {
        int which = keel_selection_next(&selection);
        total += which == KEEL_SELECTION_MEASURE ? 1.5 * best : real[which];
        if (which == KEEL_SELECTION_MEASURE) {
            keel_selection_forecast(&selection, forecasts, N);
        } else {
            keel_selection_note(&selection, which, real[which] * (1 + noise * draw_normal(draws)),
                                N);
        }
    }
    return (struct trial){.late = real[selection.kept] / best - 1,
                          .total = total / (100 * best) - 1};
}

/* The bar: within 2 % of the best fixed schedule in the end, within 5 % over the first 100
 * instances. Noise makes single choices fall short of it. Without noise and errors, what ran before
 * stays where the best is not 1.5 % ahead. */
static void choosing_costs_little(void **state)
{
    enum { WORKLOADS = 100 };
    struct draws draws = draws_begin();
    double mean = 0;
    int missed = 0, dear = 0;

    (void)state;
    for (int i = 0; i < WORKLOADS; i++) {
        struct trial quiet = try_workload(&draws, 0, 0);
        assert_true(quiet.late < 0.0153 && quiet.total < 0.02);
        struct trial noisy = try_workload(&draws, 0.01, 0.01);
        dear += noisy.total > 0.05;
        mean += noisy.total / WORKLOADS;
        missed += noisy.late > 0.02;
    }
    assert_true(mean < 0.016);
    assert_in_range(missed, 0, 8);
    assert_in_range(dear, 0, 2);
}

/* The first that is kept is so after 10 instances, where noise is small. */
static void ten_instances_are_enough(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int round = 0; round < 50; round++) {
        struct keel_forecast forecasts[CANDIDATES];
        struct keel_selection selection;
        draw_forecasts(&draws, forecasts);
        keel_selection_begin(&selection, CANDIDATES, CANDIDATES - 1);
        for (int i = 0; i < 10; i++) {
            int which = keel_selection_next(&selection);
            if (which == KEEL_SELECTION_MEASURE) {
                keel_selection_forecast(&selection, forecasts, N);
            } else {
                keel_selection_note(&selection, which,
                                    forecasts[which].time_ns * (1 + 0.01 * draw_normal(&draws)), N);
            }
        }
        assert_int_equal(selection.phase, KEEL_SELECTION_KEEPING);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_no_change),
        cmocka_unit_test(choosing_costs_little),
        cmocka_unit_test(ten_instances_are_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
