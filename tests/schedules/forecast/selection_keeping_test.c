/* The selection of `auto`: what is kept, and when it is measured again, by replayed times. */
#include <math.h>
#include <stddef.h>

#include "schedules/forecast/selection.h"
#include "tests/schedules/forecast/selection_replay.h"
#include "tests/support/unit.h"

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

/* All takes twice as long as forecast, and 1 hardly less than 0: forecasts count as doubled. */
TEST(forecasts_count_by_what_all_take_beyond_them)
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
