/* A loop to be advised on, and what is said of it, for tests. Comes after <cmocka.h>. */
#ifndef TESTS_SCHEDULES_FORECAST_ADVICE_CASES_H
#define TESTS_SCHEDULES_FORECAST_ADVICE_CASES_H

#include "schedules/forecast/advice.h"
#include "schedules/forecast/advice_text.h"
#include "tests/schedules/support/specs.h"

static struct keel_spec spec_in_force;

/* 4 threads, 10 instances of 10 ms, all of it work. */
static inline struct keel_advice_loop even_loop(const char *spec)
{
    spec_in_force = specs_read(spec);
    return (struct keel_advice_loop){
        .subject = KEEL_ADVICE_LOOP,
        .spec = &spec_in_force,
        .threads = 4,
        .instances = 10,
        .iterations = 10000,
        .elapsed_s = 0.1,
        .elapsed_squares_s2 = 0.001,
        .busy_s = 0.4,
        .busiest_s = 0.1,
    };
}

static inline void assert_advice(const struct keel_advice_loop *loop, const char *what)
{
    struct keel_advice advice = keel_advise(loop);
    char text[KEEL_ADVICE_TEXT_MAX];

    keel_advice_write(&advice, text);
    assert_string_equal(text, what);
    assert_true((advice.schedule != NULL) == (advice.gain_s > 0));
}

#endif
