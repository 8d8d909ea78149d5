/* Times of messages on a machine that is busy: which ones count, and when they are taken again. */
#include <math.h>
#include <stdint.h>

#include "schedules/balance/decide.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

TEST(times_are_asked_for_while_they_may_hold_rows_back)
{
    static const struct {
        struct keel_decision decision;
        uint64_t movements;
        bool doubtful;
    } row[] = {
        {{.reason = {KEEL_CAUSE_COST, {1, 0.5}}}, 0, true},
        {{.reason = {KEEL_CAUSE_COST, {1, 0.5}}}, 1, true},
        {{.reason = {KEEL_CAUSE_COST, {1, 0}}}, 1, false}, /* it would save nothing */
        {{.reason = {KEEL_CAUSE_LEVEL, {1, 0.5}}}, 0, true},
        {{.reason = {KEEL_CAUSE_LEVEL, {1, 0.5}}}, 1, false},
        {{.verdict = KEEL_DECISION_MOVE}, 0, false},
    };
    const struct keel_probes probes = {.spent_s = 1};

    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        assert_int_equal(
            keel_probes_are_doubtful(&probes, &row[i].decision, row[i].movements, 1001),
            row[i].doubtful);
        assert_false(keel_probes_are_doubtful(&probes, &row[i].decision, row[i].movements, 999));
    }
}

TEST(the_shortest_time_of_each_kind_counts)
{
    struct keel_probes probes = {0};

    keel_probes_note(&probes, KEEL_PROBE_EMPTY, INFINITY);
    keel_probes_note(&probes, KEEL_PROBE_EMPTY, 3);
    keel_probes_note(&probes, KEEL_PROBE_EMPTY, 5);
    keel_probes_note(&probes, KEEL_PROBE_FIGURES, 7);
    assert_near(probes.least_s[KEEL_PROBE_EMPTY], 3);
    assert_near(probes.least_s[KEEL_PROBE_FIGURES], 7);
}
