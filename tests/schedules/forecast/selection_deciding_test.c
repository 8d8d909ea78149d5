/* The selection of `auto`: replayed times with the decisions they must lead to, and reports of
 * every kind. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "schedules/forecast/selection.h"
#include "tests/schedules/forecast/selection_replay.h"
#include "tests/support/unit.h"

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
