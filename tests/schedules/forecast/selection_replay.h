/* Forecasts and replayed times for tests of the selection of `auto`. Comes after
 * <cmocka.h>. */
#ifndef TESTS_SCHEDULES_FORECAST_SELECTION_REPLAY_H
#define TESTS_SCHEDULES_FORECAST_SELECTION_REPLAY_H

#include "schedules/forecast/selection.h"
#include "tests/support/unit.h"

#define N 1000

/* The wait for a try of a candidate whose forecast is what the kept one takes: TRY_COSTS over
 * TRIES_PART. */
#define WAIT 3

/* Forecasts in us, for N iterations. */
static inline void forecast(struct keel_selection *selection, const double *us, unsigned count)
{
    struct keel_forecast forecasts[KEEL_SELECTION_MAX] = {{0}};

    for (unsigned i = 0; i < count; i++) {
        forecasts[i].time_ns = us[i] * 1000;
    }
    keel_selection_forecast(selection, forecasts, N);
}

static inline struct keel_selection chosen(const double *us, unsigned count)
{
    struct keel_selection selection;

    keel_selection_begin(&selection, count, -1);
    forecast(&selection, us, count);
    return selection;
}

/* The next instance must run `which`; it takes so long. */
static inline void replay(struct keel_selection *selection, int which, double us)
{
    assert_int_equal(keel_selection_next(selection), which);
    keel_selection_note(selection, which, us * 1000, N);
}

static inline void assert_kept(const struct keel_selection *selection, int which,
                               enum keel_selection_reason reason)
{
    assert_int_equal(selection->phase, KEEL_SELECTION_KEEPING);
    assert_int_equal(keel_selection_next(selection), which);
    assert_int_equal(selection->kept, which);
    assert_string_equal(keel_selection_reason_text(selection->reason),
                        keel_selection_reason_text(reason));
}

static inline void assert_measures(const struct keel_selection *selection,
                                   enum keel_selection_reason reason)
{
    assert_int_equal(selection->phase, KEEL_SELECTION_MEASURING);
    assert_int_equal(keel_selection_next(selection), KEEL_SELECTION_MEASURE);
    assert_int_equal(selection->reason, reason);
}

/* Two candidates, of which 0 is kept, at 100 us. */
static inline struct keel_selection keeping(void)
{
    struct keel_selection selection = chosen((const double[]){100, 200}, 2);

    for (int i = 0; i < 30; i++) {
        replay(&selection, 0, 100);
    }
    return selection;
}

#endif
