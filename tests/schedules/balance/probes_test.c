/* Times of messages on a machine that is busy: which ones count, and when they are taken again. The
 * times are injected. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/probes.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

#define MESSAGE_S 1e-4 /* undisturbed */
#define QUANTUM_S 4e-3 /* for which a worker may wait for a processor */
#define SPENT_S 1e-3   /* in timing again */

static struct keel_decision refused(enum keel_cause cause, double saving_s)
{
    return (struct keel_decision){.reason = {cause, {1, saving_s}}};
}

/* Times all again, while doubts last, at a time so early that only success lets them last: messages
 * of round r take time_s[r]. Returns the rounds. */
static unsigned time_again(struct keel_probes *probes, const double *time_s, unsigned rounds,
                           double *cost_s)
{
    const struct keel_decision decision = refused(KEEL_CAUSE_COST, 0.5);
    unsigned round = 0;

    while (round < rounds && keel_probes_are_doubtful(probes, &decision, 0, 0)) {
        keel_probes_note(probes, KEEL_PROBE_FULL, time_s[round++]);
        keel_probes_agree(probes,
                          &(struct keel_probes_most){probes->least_s[KEEL_PROBE_FULL], 1, SPENT_S},
                          *cost_s);
        *cost_s = probes->least_s[KEEL_PROBE_FULL];
    }
    return round;
}

/* Times that get no shorter may be true: it is asked three times, and then less often. */
TEST(times_that_get_no_shorter_are_asked_for_less_often)
{
    const double time_s[] = {0.9, 0.95, 1.1, 1, 1, 1, 1, 1};
    struct keel_probes probes = {0};
    double cost_s = 1;

    keel_probes_note(&probes, KEEL_PROBE_FULL, 1);
    keel_probes_agree(&probes, &(struct keel_probes_most){1, 1, SPENT_S}, 0);
    assert_int_equal(time_again(&probes, time_s, 8, &cost_s), 3);
    assert_near(cost_s, 0.9);
}

/* Whatever it finds, and however often rows are refused: seconds of 1000. */
static double seconds_of_asking(double spread)
{
    const struct keel_decision decision = refused(KEEL_CAUSE_COST, 0.5);
    const struct keel_probes_most most = {1, spread, 0.1};
    struct keel_probes probes = {0};

    for (int second = 0; second < 1000; second++) {
        if (keel_probes_are_doubtful(&probes, &decision, 0, second)) {
            keel_probes_agree(&probes, &most, 1);
        }
    }
    return probes.spent_s;
}

TEST(asking_takes_a_small_part_of_the_time)
{
    assert_in_range(1000 * seconds_of_asking(9), 4000, 5500);
    assert_in_range(1000 * seconds_of_asking(1), 300, 900);
}

TEST(rounds_that_waited_differ)
{
    struct keel_probes probes = {0};

    assert_false(keel_probes_differ(keel_probes_spread(&probes)));
    keel_probes_note(&probes, KEEL_PROBE_FULL, MESSAGE_S);
    keel_probes_note(&probes, KEEL_PROBE_FULL, 1.1 * MESSAGE_S);
    assert_false(keel_probes_differ(keel_probes_spread(&probes)));
    keel_probes_note(&probes, KEEL_PROBE_FULL, QUANTUM_S);
    assert_true(keel_probes_differ(keel_probes_spread(&probes)));
}

TEST(only_a_movement_refused_for_its_cost_is_doubted)
{
    const struct keel_probes probes = {0};
    struct keel_decision decision = refused(KEEL_CAUSE_COST, 0.5);

    assert_true(keel_probes_are_doubtful(&probes, &decision, 0, 0));
    assert_true(keel_probes_are_doubtful(&probes, &decision, 1, 0)); /* nothing was spent yet */
    decision = refused(KEEL_CAUSE_COST, 0);
    assert_false(keel_probes_are_doubtful(&probes, &decision, 0, 0));
    decision = refused(KEEL_CAUSE_LEVEL, 0.5);
    assert_false(keel_probes_are_doubtful(&probes, &decision, 0, 0));
}

/* Among the candidates, those that move have lost by what movements were thought to cost. */
TEST(where_messages_have_waited_all_that_stays_is_doubted)
{
    const struct keel_probes probes = {.spread = 9, .spent_s = 1, .in_vain = 9};
    struct keel_decision decision = refused(KEEL_CAUSE_STAYS, 0);

    assert_true(keel_probes_are_doubtful(&probes, &decision, 0, 1000));
    assert_false(keel_probes_are_doubtful(&probes, &decision, 0, 100));
    assert_false(keel_probes_are_doubtful(&probes, &decision, 1, 1000));
    decision.verdict = KEEL_DECISION_MOVE;
    assert_false(keel_probes_are_doubtful(&probes, &decision, 0, 1000));
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
    keel_probes_forget(&probes);
    keel_probes_note(&probes, KEEL_PROBE_EMPTY, 4);
    assert_near(probes.least_s[KEEL_PROBE_EMPTY], 4);
}
