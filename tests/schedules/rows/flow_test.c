/* What rows weigh that have moved, by the times of ranks before and after. */
#include <math.h>
#include <stddef.h>

#include "schedules/rows/row_weights.h"
#include "tests/support/unit.h"

enum { ROWS = 600, RANKS_MAX = 8, RANKS_MANY = 33 };

#define assert_near(got, wanted) assert_true(fabs((got) / (wanted)-1) <= 1e-6)

static double cost[ROWS], speed[RANKS_MAX], room[RANKS_MAX];
static struct keel_row_flow_rank rank[RANKS_MAX];
static struct keel_row_flow flow[RANKS_MAX];

static double sum(unsigned first, unsigned last)
{
    double all = 0;

    for (unsigned row = first; row < last; row++) {
        all += cost[row];
    }
    return all;
}

/* Two ranks with all rows of weight 1, whose border moves. */
static enum keel_row_flow_result move(unsigned before, unsigned after)
{
    rank[0] = (struct keel_row_flow_rank){before, sum(0, before) / speed[0], after,
                                          sum(0, after) / speed[0]};
    rank[1] = (struct keel_row_flow_rank){ROWS - before, sum(before, ROWS) / speed[1], ROWS - after,
                                          sum(after, ROWS) / speed[1]};
    return keel_row_flow_find(rank, 2, 0, room, flow);
}

static void set_step(double factor)
{
    for (unsigned row = 0; row < ROWS; row++) {
        cost[row] = row < 400 ? 1 : factor;
    }
}

TEST(equal_ranks_with_a_step_are_found)
{
    set_step(4);
    speed[0] = speed[1] = 1000;
    assert_int_equal(move(300, 450), KEEL_ROW_FLOW_FOUND);
    assert_near(flow[0].work / flow[1].work, sum(0, 450) / sum(450, ROWS));
    assert_near(flow[1].factor * 150 / flow[0].work, sum(300, 450) / sum(0, 450));
}

/* A rank has become slow, and nothing is said of rows. */
TEST(a_change_of_speed_is_doubtful)
{
    set_step(1);
    speed[0] = speed[1] = 1000;
    rank[0] = (struct keel_row_flow_rank){300, 0.3, 200, 0.4};
    rank[1] = (struct keel_row_flow_rank){300, 0.3, 400, 0.4};
    assert_int_equal(keel_row_flow_find(rank, 2, 0, room, flow), KEEL_ROW_FLOW_DOUBTFUL);
}

TEST(nothing_follows_from_little)
{
    set_step(4);
    speed[0] = speed[1] = 1000;
    assert_int_equal(move(300, 301), KEEL_ROW_FLOW_AS_SUPPOSED);
    rank[1].time_s = 0;
    assert_int_equal(keel_row_flow_find(rank, 2, 0, room, flow), KEEL_ROW_FLOW_UNKNOWN);
}
