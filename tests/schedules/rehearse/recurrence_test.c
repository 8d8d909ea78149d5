/* Loads that repeat are found, and what they leave is foretold; of others nothing is said. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/rehearse/recurrence.h"
#include "tests/support/draws.h"

#define RUNS 100
#define EVENTS_MAX 4096
#define SPAN_S 0.5 /* of a measured rate, about */
#define PERIOD_S 10.0
#define NOISE 0.03 /* of a measured rate */

/* --- loads --- */

/* The rate from time_s[i] on. */
struct load {
    int events;
    double time_s[EVENTS_MAX], rate[EVENTS_MAX];
};

static void load_add(struct load *load, double time_s, double rate)
{
    assert_true(load->events < EVENTS_MAX);
    load->time_s[load->events] = time_s;
    load->rate[load->events++] = rate;
}

static double load_mean(const struct load *load, double from_s, double to_s)
{
    double sum = 0;

    for (int i = 0; i < load->events; i++) {
        double begins_s = fmax(from_s, i == 0 ? -INFINITY : load->time_s[i]);
        double ends_s = fmin(to_s, i + 1 < load->events ? load->time_s[i + 1] : INFINITY);
        sum += ends_s > begins_s ? load->rate[i] * (ends_s - begins_s) : 0;
    }
    return sum / (to_s - from_s);
}

static double normal(struct draws *draws)
{
    return sqrt(-2 * log(1 - draws_real(draws))) * cos(2 * M_PI * draws_real(draws));
}

/* Half or a third of the machine is left while the load is there, a quarter to three quarters of
 * each period. jitter: deviation of how long it is there, and away, as a part of that. */
static void load_periodic(struct load *load, struct draws *draws, double jitter, double until_s)
{
    double left = draws_below(draws, 2) == 0 ? 1. / 2 : 1. / 3;
    double on_s = PERIOD_S * (0.25 + 0.5 * draws_real(draws));
    double time_s = -PERIOD_S * draws_real(draws);

    load->events = 0;
    while (time_s < until_s) {
        load_add(load, time_s, left);
        time_s += fmax(0.1, on_s * (1 + jitter * normal(draws)));
        load_add(load, time_s, 1);
        time_s += fmax(0.1, (PERIOD_S - on_s) * (1 + jitter * normal(draws)));
    }
}

/* The same on average, but for exponential times. */
static void load_random(struct load *load, struct draws *draws, double until_s)
{
    double on_s = PERIOD_S * (0.25 + 0.5 * draws_real(draws)), time_s = 0;

    load->events = 0;
    while (time_s < until_s) {
        load_add(load, time_s, 0.5);
        time_s += 0.05 - on_s * log(1 - draws_real(draws));
        load_add(load, time_s, 1);
        time_s += 0.05 - (PERIOD_S - on_s) * log(1 - draws_real(draws));
    }
}

/* A walk around 1 that goes back to it within some time. */
static void load_wanders(struct load *load, struct draws *draws, double until_s)
{
    double away = 0, keeps = exp(-1 / PERIOD_S);

    load->events = 0;
    for (double time_s = 0; time_s < until_s; time_s += 1) {
        away = keeps * away + sqrt(1 - keeps * keeps) * normal(draws);
        load_add(load, time_s, exp(away / 3));
    }
}

static void load_once(struct load *load, double from_s, double to_s)
{
    load->events = 0;
    load_add(load, 0, 1);
    load_add(load, from_s, 0.5);
    if (to_s > from_s) {
        load_add(load, to_s, 1);
    }
}

static void load_ramp(struct load *load, double until_s)
{
    load->events = 0;
    for (int i = 0; i < 100; i++) {
        load_add(load, until_s * i / 100, 1 - 0.7 * i / 100);
    }
}

/* --- what is made of them --- */

struct outcome {
    double first_s;          /* when a period was known first; INFINITY: never */
    double known, right;     /* of all spans: with a period; with PERIOD_S within a tenth */
    double error, error_now; /* mean error of the next quarter of a period, foretold, and taken for
                                what it is now */
};

static struct outcome follow(const struct load *load, struct draws *draws, double span_s,
                             double noise, double until_s)
{
    struct outcome outcome = {.first_s = INFINITY};
    struct keel_recurrence recurrence;
    int spans = 0;

    keel_recurrence_begin(&recurrence);
    for (double time_s = 0; time_s < until_s; spans++) {
        double from_s = time_s;
        time_s += span_s * (0.75 + 0.5 * draws_real(draws));
        double rate = load_mean(load, from_s, time_s) * fmax(0.1, 1 + noise * normal(draws));
        keel_recurrence_note(&recurrence, from_s, time_s, rate);
        double period_s = keel_recurrence_period_s(&recurrence);
        double foretold = keel_recurrence_forecast(&recurrence, time_s, time_s + PERIOD_S / 4);
        assert_int_equal(period_s > 0, foretold > 0);
        if (period_s > 0) {
            double is = load_mean(load, time_s, time_s + PERIOD_S / 4);
            outcome.first_s = fmin(outcome.first_s, time_s);
            outcome.known++;
            outcome.right += fabs(period_s - PERIOD_S) < PERIOD_S / 10;
            outcome.error += fabs(foretold - is);
            outcome.error_now += fabs(rate - is);
        }
    }
    outcome.error /= fmax(1, outcome.known);
    outcome.error_now /= fmax(1, outcome.known);
    outcome.right /= fmax(1, outcome.known);
    outcome.known /= spans;
    return outcome;
}

/* Of RUNS jobs. */
struct sums {
    int found;
    double first_periods, known, right, error, error_now; /* means; all but known of those found */
};

static void sums_add(struct sums *sums, const struct outcome *outcome)
{
    sums->known += outcome->known / RUNS;
    if (outcome->first_s < INFINITY) {
        sums->found++;
        sums->first_periods += outcome->first_s / PERIOD_S;
        sums->right += outcome->right;
        sums->error += outcome->error;
        sums->error_now += outcome->error_now;
    }
}

static struct sums sums_end(struct sums sums, const char *what)
{
    double found = fmax(1, sums.found);

    sums.first_periods /= found;
    sums.right /= found;
    sums.error /= found;
    sums.error_now /= found;
    printf("# %s: in %d of %d jobs, after %.2f periods, for %.4f of the time; right %.3f; error "
           "%.4f, same as now %.4f\n",
           what, sums.found, RUNS, sums.first_periods, sums.known, sums.right, sums.error,
           sums.error_now);
    return sums;
}

static struct sums follow_periodic(double jitter, double noise, double span_s, double until_s,
                                   const char *what)
{
    static struct load load;
    struct draws draws = draws_begin();
    struct sums sums = {0};

    for (int run = 0; run < RUNS; run++) {
        load_periodic(&load, &draws, jitter, until_s + 2 * PERIOD_S);
        struct outcome outcome = follow(&load, &draws, span_s, noise, until_s);
        sums_add(&sums, &outcome);
    }
    return sums_end(sums, what);
}

/* --- tests --- */

static void loads_that_repeat_are_found_in_their_third_period(void **state)
{
    struct sums sums = follow_periodic(0, NOISE, SPAN_S, 100, "periodic");

    (void)state;
    assert_in_range(sums.found, RUNS * 99 / 100, RUNS);
    assert_true(sums.first_periods < 3.2);
    assert_true(sums.right > 0.99);
    assert_true(sums.error < sums.error_now / 8);
}

static void unsteady_periods_and_noise_are_borne(void **state)
{
    struct sums sums = follow_periodic(0.05, NOISE, SPAN_S, 100, "periods that vary by 5 %");

    (void)state;
    assert_in_range(sums.found, RUNS * 95 / 100, RUNS);
    assert_true(sums.right > 0.95 && sums.error < sums.error_now / 2.5);
    sums = follow_periodic(0.1, NOISE, SPAN_S, 100, "by 10 %");
    assert_in_range(sums.found, RUNS * 9 / 10, RUNS);
    assert_true(sums.right > 0.85 && sums.error < sums.error_now / 1.5);
    sums = follow_periodic(0, 0.1, SPAN_S, 100, "noise of 10 %");
    assert_in_range(sums.found, RUNS * 95 / 100, RUNS);
    assert_true(sums.right > 0.95 && sums.error < sums.error_now / 4);
}

static void spans_may_be_long_or_short(void **state)
{
    struct sums sums = follow_periodic(0, NOISE, 1.5, 100, "spans of 1.5 s");

    (void)state;
    assert_in_range(sums.found, RUNS * 95 / 100, RUNS);
    assert_true(sums.right > 0.85 && sums.error < sums.error_now / 2.5);
    sums = follow_periodic(0, NOISE, 0.1, 60, "spans of 0.1 s");
    assert_in_range(sums.found, RUNS * 95 / 100, RUNS);
    assert_true(sums.right > 0.95 && sums.error < sums.error_now / 8);
}

/* By then, bins have been merged or forgotten many times. */
static void a_period_stays_known_however_long_a_job_is(void **state)
{
    struct sums sums = follow_periodic(0, NOISE, SPAN_S, 800, "80 periods");

    (void)state;
    assert_in_range(sums.found, RUNS * 99 / 100, RUNS);
    assert_true(sums.known > 0.95 && sums.right > 0.99 && sums.error < sums.error_now / 8);
}

static void of_random_loads_nothing_is_said(void **state)
{
    static struct load load;
    struct draws draws = draws_begin();
    struct sums sums = {0}, longer = {0};

    (void)state;
    for (int run = 0; run < RUNS; run++) {
        load_random(&load, &draws, 500);
        struct outcome outcome = follow(&load, &draws, SPAN_S, NOISE, 100);
        sums_add(&sums, &outcome);
        outcome = follow(&load, &draws, SPAN_S, NOISE, 400);
        sums_add(&longer, &outcome);
    }
    sums = sums_end(sums, "exponential times");
    longer = sums_end(longer, "exponential times, long jobs");
    assert_in_range(sums.found, 0, RUNS / 10);
    assert_in_range(longer.found, 0, RUNS * 15 / 100);
    assert_true(sums.known < 0.01 && longer.known < 0.005);
}

static void of_loads_that_come_once_or_wander_nothing_is_said(void **state)
{
    static struct load load;
    struct draws draws = draws_begin();
    struct sums constant = {0}, step = {0}, pulse = {0}, ramp = {0}, wanders = {0};
    struct outcome outcome;

    (void)state;
    for (int run = 0; run < RUNS; run++) {
        double noise = run % 2 == 0 ? NOISE : 0.1, at_s = 100 * draws_real(&draws);
        load_once(&load, 1e9, 0);
        outcome = follow(&load, &draws, SPAN_S, noise, 100);
        sums_add(&constant, &outcome);
        load_once(&load, at_s, 0);
        outcome = follow(&load, &draws, SPAN_S, noise, 100);
        sums_add(&step, &outcome);
        load_once(&load, at_s, at_s + 30 * draws_real(&draws));
        outcome = follow(&load, &draws, SPAN_S, noise, 100);
        sums_add(&pulse, &outcome);
        load_ramp(&load, 100);
        outcome = follow(&load, &draws, SPAN_S, noise, 100);
        sums_add(&ramp, &outcome);
        load_wanders(&load, &draws, 120);
        outcome = follow(&load, &draws, SPAN_S, 0, 100);
        sums_add(&wanders, &outcome);
    }
    assert_in_range(sums_end(constant, "no load").found, 0, RUNS * 2 / 100);
    assert_in_range(sums_end(step, "a step").found, 0, RUNS * 2 / 100);
    assert_in_range(sums_end(pulse, "once there").found, 0, RUNS * 2 / 100);
    assert_in_range(sums_end(ramp, "a ramp").found, 0, RUNS * 2 / 100);
    assert_in_range(sums_end(wanders, "a walk").found, 0, RUNS * 6 / 100);
}

/* 4 s of 10 at 0.5, from the start, in spans of 1 s. */
static void note_square(struct keel_recurrence *recurrence, int from_s, int to_s)
{
    for (int time_s = from_s; time_s < to_s; time_s++) {
        keel_recurrence_note(recurrence, time_s, time_s + 1, time_s % 10 < 4 ? 0.5 : 1);
    }
}

static bool near(double a, double b)
{
    return fabs(a - b) < 0.03;
}

static void forecasts_are_means_of_what_is_to_come(void **state)
{
    struct keel_recurrence recurrence;

    (void)state;
    keel_recurrence_begin(&recurrence);
    note_square(&recurrence, 0, 20);
    assert_true(keel_recurrence_period_s(&recurrence) == 0); /* two: might be chance */
    assert_true(keel_recurrence_forecast(&recurrence, 20, 21) == 0);
    note_square(&recurrence, 20, 40);
    assert_true(near(keel_recurrence_period_s(&recurrence), 10));
    assert_true(near(keel_recurrence_forecast(&recurrence, 40, 44), 0.5));
    assert_true(near(keel_recurrence_forecast(&recurrence, 41, 43), 0.5));
    assert_true(near(keel_recurrence_forecast(&recurrence, 45, 50), 1));
    assert_true(near(keel_recurrence_forecast(&recurrence, 40, 48), 0.75));
    assert_true(near(keel_recurrence_forecast(&recurrence, 46, 47), 1));
    assert_true(near(keel_recurrence_forecast(&recurrence, 61, 63), 0.5)); /* two periods ahead */
    assert_true(near(keel_recurrence_forecast(&recurrence, 40, 50), 0.8));
    assert_true(near(keel_recurrence_forecast(&recurrence, 43, 83), 0.8));
    assert_true(near(keel_recurrence_forecast(&recurrence, 40, 64), (2 * 8 + 2) / 24.));
    assert_true(keel_recurrence_forecast(&recurrence, 41, 41) == 0);
    assert_true(keel_recurrence_forecast(&recurrence, 41, INFINITY) == 0);
    assert_true(keel_recurrence_forecast(&recurrence, NAN, 41) == 0);
}

/* That two loads are alike may be chance. */
static void two_loads_are_no_period(void **state)
{
    struct keel_recurrence recurrence;

    (void)state;
    keel_recurrence_begin(&recurrence);
    for (int time_s = 0; time_s < 30; time_s++) {
        bool there = (time_s >= 2 && time_s < 6) || (time_s >= 12 && time_s < 16);
        keel_recurrence_note(&recurrence, time_s, time_s + 1, there ? 0.5 : 1);
        assert_true(keel_recurrence_period_s(&recurrence) == 0);
    }
}

static void what_ends_is_not_foretold_for_long(void **state)
{
    struct keel_recurrence recurrence;

    (void)state;
    keel_recurrence_begin(&recurrence);
    note_square(&recurrence, 0, 60);
    assert_true(near(keel_recurrence_period_s(&recurrence), 10));
    for (int time_s = 60; time_s < 75; time_s++) {
        keel_recurrence_note(&recurrence, time_s, time_s + 1, 1);
    }
    assert_true(keel_recurrence_period_s(&recurrence) == 0);
}

static void another_period_is_found_after_one(void **state)
{
    struct keel_recurrence recurrence;

    (void)state;
    keel_recurrence_begin(&recurrence);
    note_square(&recurrence, 0, 300);
    for (int time_s = 300; time_s < 2000; time_s++) {
        keel_recurrence_note(&recurrence, time_s, time_s + 1, time_s % 37 < 15 ? 0.3 : 1);
    }
    assert_true(fabs(keel_recurrence_period_s(&recurrence) - 37) < 1);
}

static void spans_that_say_nothing_are_passed_over(void **state)
{
    static const double wrong[] = {0, -1, NAN, INFINITY};
    struct keel_recurrence recurrence, other;

    (void)state;
    keel_recurrence_begin(&recurrence);
    note_square(&recurrence, 0, 45);
    other = recurrence;
    for (int i = 0; i < 4; i++) {
        keel_recurrence_note(&recurrence, 45, 46, wrong[i]);
    }
    keel_recurrence_note(&recurrence, 45, 45, 1);
    keel_recurrence_note(&recurrence, 46, 45, 1);
    keel_recurrence_note(&recurrence, NAN, 46, 1);
    keel_recurrence_note(&recurrence, 45, NAN, 1);
    keel_recurrence_note(&recurrence, 45, INFINITY, 1);
    keel_recurrence_note(&recurrence, 10, 44, 3); /* known already */
    assert_memory_equal(&recurrence, &other, sizeof other);
    keel_recurrence_note(&recurrence, 1e7, 1e7 + 1, 1); /* after a long gap */
    assert_true(keel_recurrence_period_s(&recurrence) == 0);
    assert_true(recurrence.bins < KEEL_RECURRENCE_BINS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_that_repeat_are_found_in_their_third_period),
        cmocka_unit_test(unsteady_periods_and_noise_are_borne),
        cmocka_unit_test(spans_may_be_long_or_short),
        cmocka_unit_test(a_period_stays_known_however_long_a_job_is),
        cmocka_unit_test(of_random_loads_nothing_is_said),
        cmocka_unit_test(of_loads_that_come_once_or_wander_nothing_is_said),
        cmocka_unit_test(forecasts_are_means_of_what_is_to_come),
        cmocka_unit_test(two_loads_are_no_period),
        cmocka_unit_test(what_ends_is_not_foretold_for_long),
        cmocka_unit_test(another_period_is_found_after_one),
        cmocka_unit_test(spans_that_say_nothing_are_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
