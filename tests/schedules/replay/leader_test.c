/* Following the best of several candidates: who is best is found, where it is worth its cost. */
#include <stddef.h>

#include "schedules/replay/replay.h"
#include "tests/support/unit.h"

static unsigned after(int decisions, const double *loss, const double *cost, double hold)
{
    struct keel_leader leader;
    unsigned followed = 0;

    keel_leader_begin(&leader, 3, 1, 1);
    for (int i = 0; i < decisions; i++) {
        keel_leader_note(&leader, 1, loss);
        followed = keel_leader_choose(&leader, cost, hold);
    }
    return followed;
}

/* Candidate 2 gains 0.1 at each decision; going there costs 1. */
TEST(a_change_has_to_be_worth_its_cost)
{
    const double loss[] = {0.3, 0.2, 0.1}, cost[] = {0, 0, 1}, none[] = {0, 0, 0};
    const double other[] = {0.1, 0.2, 0.3};

    assert_int_equal(after(1, other, none, 0), 0);
    assert_int_equal(after(9, loss, cost, 0), 1);
    assert_int_equal(after(11, loss, cost, 0), 2);
    assert_int_equal(after(1, loss, none, 0), 2);
    assert_int_equal(after(19, loss, cost, 1), 1);
    assert_int_equal(after(21, loss, cost, 1), 2);
}

/* Candidate 0 was better for 1000 decisions, and 1 has been since. */
TEST(what_is_long_ago_is_forgotten)
{
    const double none[] = {0, 0};
    struct keel_leader leader;
    int late = 0;

    keel_leader_begin(&leader, 2, 0, 1 - 1. / 32);
    for (int i = 0; i < 1000; i++) {
        keel_leader_note(&leader, 1, (double[]){0, 1});
        assert_int_equal(keel_leader_choose(&leader, none, 0), 0);
    }
    do {
        keel_leader_note(&leader, 1, (double[]){1, 0});
        late++;
    } while (late < 1000 && keel_leader_choose(&leader, none, 0) == 0);
    assert_in_range(late, 20, 25); /* half of the sums: ln 2 times 32 */
    assert_int_equal(leader.followed, 1);
}
