/* The selection of `auto`: replayed times with the decisions they must lead to, what is kept, and
 * when it is measured again; reports of every kind. */
#include <math.h>
#include <string.h>

#include "schedules/forecast/selection.h"
#include "tests/support/unit.h"

#define N 1000

/* The wait for a try of a candidate whose forecast is what the kept one takes: TRY_COSTS over
 * TRIES_PART. */
#define WAIT 3

/* Forecasts in us, for N iterations. */
static void forecast(struct keel_selection *selection, const double *us, unsigned count)
{
    struct keel_forecast forecasts[KEEL_SELECTION_MAX] = {{0}};

    for (unsigned i = 0; i < count; i++) {
        forecasts[i].time_ns = us[i] * 1000;
    }
    keel_selection_forecast(selection, forecasts, N);
}

static struct keel_selection chosen(const double *us, unsigned count)
{
    struct keel_selection selection;

    keel_selection_begin(&selection, count, -1);
    forecast(&selection, us, count);
    return selection;
}

/* The next instance must run `which`; it takes so long. */
static void replay(struct keel_selection *selection, int which, double us)
{
    assert_int_equal(keel_selection_next(selection), which);
    keel_selection_note(selection, which, us * 1000, N);
}

static void assert_kept(const struct keel_selection *selection, int which,
                        enum keel_selection_reason reason)
{
    assert_int_equal(selection->phase, KEEL_SELECTION_KEEPING);
    assert_int_equal(keel_selection_next(selection), which);
    assert_int_equal(selection->kept, which);
    assert_string_equal(keel_selection_reason_text(selection->reason),
                        keel_selection_reason_text(reason));
}

static void assert_measures(const struct keel_selection *selection,
                            enum keel_selection_reason reason)
{
    assert_int_equal(selection->phase, KEEL_SELECTION_MEASURING);
    assert_int_equal(keel_selection_next(selection), KEEL_SELECTION_MEASURE);
    assert_int_equal(selection->reason, reason);
}

/* Two candidates, of which 0 is kept, at 100 us. */
static struct keel_selection keeping(void)
{
    struct keel_selection selection = chosen((const double[]){100, 200}, 2);

    for (int i = 0; i < 30; i++) {
        replay(&selection, 0, 100);
    }
    return selection;
}

/* --- deciding --- */

TEST(measures_until_forecasts_come)
{
    struct keel_selection selection;

    keel_selection_begin(&selection, 2, -1);
    assert_measures(&selection, KEEL_SELECTION_NEW);
    keel_selection_note(&selection, KEEL_SELECTION_MEASURE, 1e5, N);
    keel_selection_note(&selection, 0, 1e5, N);
    assert_measures(&selection, KEEL_SELECTION_NEW);
    assert_int_equal(selection.entry[0].instances, 0);
    assert_int_equal(selection.kept, -1);
}

TEST(what_forecasts_rule_out_is_not_tried)
{
    struct keel_selection selection = chosen((const double[]){104, 100, 103.1, 250}, 4);

    assert_kept(&selection, 1, KEEL_SELECTION_FORECAST);
    for (int i = 0; i < 1000; i++) {
        replay(&selection, 1, 120);
    }
    assert_int_equal(selection.measurements, 1);
}

/* Instances of what is kept until another one is tried; -1: none is within `most`. */
static int until_trying(struct keel_selection *selection, double us, int most)
{
    for (int i = 0; i < most; i++) {
        if (keel_selection_next(selection) != selection->kept) {
            return i;
        }
        replay(selection, selection->kept, us);
    }
    return -1;
}

/* 1 is kept; 3, 0 and 2 are tried, the better forecast first, and one that is slower once. The wait
 * is by what the forecast says, 1 % of it for each % that it is behind. */
TEST(others_are_tried_by_their_forecasts)
{
    struct keel_selection selection = chosen((const double[]){102, 100, 102.9, 101, 104}, 5);

    assert_kept(&selection, 1, KEEL_SELECTION_FORECAST);
    assert_int_equal(until_trying(&selection, 100, 20), WAIT + 1);
    replay(&selection, 3, 112);
    assert_int_equal(until_trying(&selection, 100, 50), 12 + WAIT + 2);
    replay(&selection, 0, 112);
    assert_int_equal(until_trying(&selection, 100, 50), 12 + WAIT + 2);
    replay(&selection, 2, 112);
    assert_int_equal(until_trying(&selection, 100, 5000), -1);
    assert_int_equal(selection.entry[4].instances, 0);
}

/* A candidate of 10 times as many chunks may tear apart what is neighbours in memory: an instance
 * of it may take twice as long, so that one waits for 100. */
TEST(many_chunks_wait_longer)
{
    const struct keel_forecast forecasts[] = {{100e3, 40, 0}, {100e3, 400, 0}};
    struct keel_selection selection;

    keel_selection_begin(&selection, 2, 0);
    keel_selection_forecast(&selection, forecasts, N);
    assert_int_equal(until_trying(&selection, 100, 1000), 100);
    replay(&selection, 1, 240);
    assert_int_equal(until_trying(&selection, 100, 5000), -1);
}

/* --- what comes in --- */

TEST(useless_reports_are_ignored)
{
    allow_exceptions();
    struct keel_selection selection = keeping(), before = selection;

    keel_selection_note(&selection, 0, NAN, N);
    keel_selection_note(&selection, 0, -1, N);
    keel_selection_note(&selection, 0, 0, N);
    keel_selection_note(&selection, 0, INFINITY, N);
    keel_selection_note(&selection, 0, 100, 0);
    keel_selection_note(&selection, 1, 100, N);
    keel_selection_note(&selection, 2, 100, N);
    keel_selection_note(&selection, -7, 100, N);
    keel_selection_note(&selection, KEEL_SELECTION_MEASURE, 100, N);
    forecast(&selection, (const double[]){200, 100}, 2);
    assert_memory_equal(&selection, &before, sizeof selection);
}

TEST(without_forecasts_something_is_kept)
{
    allow_exceptions();
    struct keel_selection selection = chosen((const double[]){NAN, -1, 0}, 3);

    assert_kept(&selection, 0, KEEL_SELECTION_NO_FORECAST);
    selection = keeping();
    for (int i = 0; i < 3; i++) {
        replay(&selection, 0, 200);
    }
    selection.kept = 1;
    forecast(&selection, (const double[]){INFINITY, INFINITY}, 2);
    assert_kept(&selection, 1, KEEL_SELECTION_NO_FORECAST);
    selection = chosen((const double[]){NAN, 50}, 2);
    assert_kept(&selection, 1, KEEL_SELECTION_FORECAST);
}

TEST(every_reason_has_its_text)
{
    for (int a = KEEL_SELECTION_NEW; a <= KEEL_SELECTION_NO_FORECAST; a++) {
        assert_true(strlen(keel_selection_reason_text(a)) > 0);
        for (int b = KEEL_SELECTION_NEW; b < a; b++) {
            assert_string_not_equal(keel_selection_reason_text(a), keel_selection_reason_text(b));
        }
    }
}

/* --- keeping --- */

/* 3 of 4 instances, up or down. */
TEST(a_lasting_change_is_measured)
{
    struct keel_selection slower = keeping(), quicker = keeping();

    replay(&slower, 0, 130);
    replay(&slower, 0, 100);
    replay(&slower, 0, 130);
    replay(&slower, 0, 130);
    assert_measures(&slower, KEEL_SELECTION_SLOWER);
    assert_int_equal(slower.measurements, 2);
    assert_int_equal(slower.kept, 0);
    for (int i = 0; i < 3; i++) {
        replay(&quicker, 0, 80);
    }
    assert_measures(&quicker, KEEL_SELECTION_FASTER);
}

TEST(changes_within_the_band_are_followed)
{
    struct keel_selection selection = keeping();

    for (int i = 0; i < 100; i++) {
        replay(&selection, 0, 110);
    }
    assert_kept(&selection, 0, KEEL_SELECTION_FORECAST);
    assert_true(selection.entry[0].measured_ns > 109.5);
}

/* Instances until it measures again; -1: it does not within `most`. */
static int until_measuring(struct keel_selection *selection, double us, int most)
{
    for (int i = 1; i <= most; i++) {
        replay(selection, 0, us);
        if (selection->phase == KEEL_SELECTION_MEASURING) {
            return i;
        }
    }
    return -1;
}

/* A loop whose times double whenever they have been measured: 8 instances at first, twice as many
 * after each look; a change that comes too early waits. */
TEST(looks_become_rarer)
{
    const double us[] = {100, 1e6};
    struct keel_selection selection = chosen(us, 2);
    double time = 100;

    for (int distance = 8; distance <= 256; distance *= 2) {
        assert_int_equal(selection.distance, distance);
        replay(&selection, 0, time);
        replay(&selection, 0, time);
        replay(&selection, 0, time);
        time *= 2;
        assert_int_equal(until_measuring(&selection, time, 1000), distance - 3);
        forecast(&selection, us, 2);
    }
}

static void decide_again(struct keel_selection *selection, double us_of_0, double us_of_1)
{
    for (double us = 100; selection->phase == KEEL_SELECTION_KEEPING;) {
        const struct keel_selection_entry *kept = &selection->entry[selection->kept];
        us = kept->instances < 8 ? us : 2 * kept->measured_ns;
        keel_selection_note(selection, selection->kept, us * 1000, N);
    }
    forecast(selection, (const double[]){us_of_0, us_of_1}, 2);
}

/* What is forecast to be less than 1.5 % better does not replace the one before. */
TEST(small_gains_move_nothing)
{
    struct keel_selection selection = keeping();

    decide_again(&selection, 200, 198);
    assert_kept(&selection, 0, KEEL_SELECTION_STAYED);
    decide_again(&selection, 200, 190);
    assert_kept(&selection, 1, KEEL_SELECTION_FORECAST);
    decide_again(&selection, 198, 200);
    assert_kept(&selection, 1, KEEL_SELECTION_STAYED);
}

/* Half a nanosecond each, by forecast and in fact: 1 is tried. */
TEST(short_iterations_are_compared)
{
    struct keel_selection selection = chosen((const double[]){0.5, 0.5}, 2);
    int instances = 0;

    for (; keel_selection_next(&selection) == 0 && instances < 20; instances++) {
        replay(&selection, 0, 0.5);
    }
    assert_int_equal(keel_selection_next(&selection), 1);
}

/* 1 takes 1 % less than 0 when it is tried. */
TEST(who_is_hardly_quicker_does_not_overtake)
{
    struct keel_selection selection = chosen((const double[]){50, 51}, 2);

    while (keel_selection_next(&selection) == 0) {
        replay(&selection, 0, 102);
    }
    for (int i = 0; i < 3; i++) {
        replay(&selection, 1, 101);
    }
    for (int i = 0; i < 20; i++) {
        replay(&selection, 0, 102);
    }
    assert_kept(&selection, 0, KEEL_SELECTION_FORECAST);
}

/* 0, which measures, has been kept for 30 instances and has become slower; 1 is forecast to be
 * quicker, but takes longer than 0 when it was measured just now. */
TEST(who_has_just_measured_may_overtake)
{
    struct keel_selection selection;

    keel_selection_begin(&selection, 2, 0);
    forecast(&selection, (const double[]){100, 200}, 2);
    for (int i = 0; i < 30; i++) {
        replay(&selection, 0, 100);
    }
    for (int i = 0; i < 3; i++) {
        replay(&selection, 0, 200);
    }
    assert_measures(&selection, KEEL_SELECTION_SLOWER);
    for (int i = 0; i < 3; i++) {
        keel_selection_note(&selection, 0, 200000, N);
    }
    forecast(&selection, (const double[]){202, 195}, 2);
    assert_kept(&selection, 1, KEEL_SELECTION_FORECAST);
    for (int i = 0; i < 3; i++) {
        replay(&selection, 1, 230);
    }
    assert_kept(&selection, 0, KEEL_SELECTION_OVERTAKEN);
}

/* As after a forecast: 5 % at first. The second instance differs from the first by 20 of 110, which
 * counts half. */
TEST(what_is_recalled_has_the_first_band)
{
    struct keel_selection selection;

    keel_selection_recall(&selection, 2, -1, 1);
    replay(&selection, 1, 100);
    replay(&selection, 1, 120);
    assert_true(fabs(keel_selection_band(&selection) - (1 + 2.66 * (0.05 + 20. / 110) / 2)) < 1e-9);
}
