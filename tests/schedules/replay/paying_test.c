/* Decisions by replay: which movements are believed to pay. */
#include <stdbool.h>
#include <stddef.h>

#include "tests/schedules/replay/replayed_run.h"
#include "tests/support/unit.h"

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
