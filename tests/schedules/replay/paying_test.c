/* Decisions by replay: which movements are believed to pay. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests/schedules/replay/replayed_run.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

/* 33 rows take 119 s of the 1000 that remain; staying loses a third of a second in each. */
TEST(a_dear_movement_waits_until_rates_have_stayed)
{
    struct run run = begin(2, 3.6e-3);

    run.rate[0] = 5;
    for (double age_s = 1; age_s < 100; age_s++) {
        struct keel_decision made = decide(&run).decision;
        double saves_s = 0.33 * (1000 - age_s + age_s * log(1000 / age_s)) / 3;
        if (run.movements == 0) {
            assert_int_equal(made.reason.cause, KEEL_CAUSE_COST);
            assert_true(is_within(made.reason.number[0], 118.8, 1e-4));
            assert_true(is_within(made.reason.number[1], saves_s, 1e-6));
        }
        assert_int_equal(run.movements, saves_s > 118.8);
    }
    assert_int_equal(run.movements, 1);
    end(&run);
}

/* Two rates are known a decision later: what was guessed in their place does not scatter. */
TEST(rates_that_become_known_are_followed)
{
    struct run run = begin(3, 1e-9);

    run.rate[0] = 5;
    run.rate[1] = run.rate[2] = 0;
    assert_int_equal(decide(&run).decision.verdict, KEEL_DECISION_KEEP);
    run.rate[1] = run.rate[2] = 10;
    struct keel_replay_decision made = decide(&run);
    assert_int_equal(made.decision.reason.cause, KEEL_CAUSE_GAIN);
    assert_true(made.by_chance == 0);
    assert_has(&run, 60, 120);
    end(&run);
}

/* A load of 10 s ends, and 33 rows would go back, for a quarter of what remains. */
static bool follows_back(double byte_s, double remaining_s)
{
    struct run run = begin(2, byte_s);
    struct keel_replay_decision made = {0};

    run.rate[0] = 5;
    run.situation.remaining_s = 55;
    for (unsigned i = 0; i < 10; i++) {
        made = decide(&run);
    }
    assert_has(&run, 67, 133);
    run.rate[0] = 10;
    run.situation.remaining_s = remaining_s + 1;
    made = decide(&run);
    assert_int_equal(made.decision.reason.cause,
                     run.movements > 1 ? KEEL_CAUSE_GAIN : KEEL_CAUSE_COST);
    end(&run);
    return run.movements > 1;
}

/* It takes 6.6 s, which is not gained while the rates are likely to stay; or 0.66 s, which is, but
 * not to every end. */
TEST(what_cannot_pay_to_the_end_is_not_followed)
{
    assert_false(follows_back(2e-4, 100));
    assert_true(follows_back(2e-5, 100));
    assert_false(follows_back(2e-5, 0.65 / (1 - 100 / 133.)));
    assert_true(follows_back(2e-5, 0.67 / (1 - 100 / 133.)));
}
