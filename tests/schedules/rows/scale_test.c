/* One scale for all ranks' weights: from borders, from rows that have moved, and from nothing. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/rows/row_weights.h"
#include "tests/support/unit.h"

enum { RANKS_MAX = 16 };

#define assert_about(got, wanted, part) assert_true(fabs(log((got) / (wanted))) <= (part))

static double known[RANKS_MAX], since[RANKS_MAX], factor[RANKS_MAX];
static struct keel_row_scale_rank before[RANKS_MAX];
static struct keel_row_scale scale;
static struct keel_row_scale_rank rank[RANKS_MAX];

/* Ranks of 100 rows each that weigh 1, and as fast as that. */
static void begin(uint32_t ranks)
{
    memset(known, 0, sizeof known);
    memset(since, 0, sizeof since);
    memset(before, 0, sizeof before);
    scale = (struct keel_row_scale){known, since, before, false};
    for (uint32_t p = 0; p < ranks; p++) {
        rank[p] = (struct keel_row_scale_rank){
            .rows = 100, .work = 100, .speed = 1000, .low = 1, .high = 1};
    }
}

static bool find(uint32_t ranks, bool blocks)
{
    void *scratch = malloc(keel_row_scale_scratch(ranks));
    bool changes = keel_row_scale_find(&scale, rank, ranks, blocks, factor, scratch);

    free(scratch);
    return changes;
}

/* The ranks' weights are multiplied. */
static void apply(uint32_t ranks)
{
    for (uint32_t p = 0; p < ranks; p++) {
        rank[p].work *= factor[p];
        rank[p].speed *= factor[p];
        rank[p].low *= factor[p];
        rank[p].high *= factor[p];
        memset(rank[p].trust, 0, sizeof rank[p].trust);
    }
}

/* Costs are even along all rows: who takes longer is slow. */
TEST(a_slow_rank_is_slow)
{
    for (int blocks = 0; blocks < 2; blocks++) {
        begin(4);
        rank[1].speed = 500;
        find(4, blocks);
        apply(4);
        assert_about(rank[1].speed / rank[0].speed, 0.5, 0.1);
    }
}

/* Rank 1's rows are the heavy end of rank 0's: it is no slower. */
TEST(costs_go_on_over_a_border)
{
    begin(3);
    rank[0].high = 4;
    rank[0].work = 180;
    rank[0].rough = 0.02;
    rank[1].speed = rank[2].speed = 250;
    assert_true(find(3, true));
    apply(3);
    assert_about(rank[1].low / rank[0].high, 1, 0.15);
    assert_about(rank[1].speed / rank[0].speed, 1, 0.15);
    assert_about(rank[2].speed / rank[0].speed, 1, 0.15);
    assert_about(rank[0].work + rank[1].work + rank[2].work, 300, 1e-9);
}

/* The same, whatever the rank behind them does. */
TEST(a_border_is_of_its_two_ranks)
{
    begin(3);
    rank[0].high = 4;
    rank[0].work = 180;
    rank[0].rough = 0.02;
    rank[1].speed = 250;
    rank[2].speed = 1e6;
    assert_true(find(3, true));
    apply(3);
    assert_about(rank[1].low / rank[0].high, 1, 0.15);
}

/* Rows of rank 0 have turned out to weigh twice as much on rank 1: all of rank 0's do. */
TEST(rows_that_moved_tell)
{
    for (int blocks = 0; blocks < 2; blocks++) {
        begin(2);
        rank[0].speed = 500;
        rank[1].shift[0] = -log(2);
        rank[1].trust[0] = 100;
        assert_true(find(2, blocks));
        apply(2);
        assert_about(rank[0].speed / rank[1].speed, 1, 0.1);
        for (int i = 0; i < 50; i++) { /* and it stays known, against what borders say */
            find(2, blocks);
            apply(2);
            assert_about(rank[0].speed / rank[1].speed, 1, 0.3);
        }
    }
}

/* All scales are known from rows that have moved. */
static void begin_known(uint32_t ranks)
{
    begin(ranks);
    for (uint32_t p = 1; p < ranks; p++) {
        rank[p].trust[0] = 1600;
    }
    find(ranks, true);
    apply(ranks);
}

/* Rows of ranks 0 and 1 and some of rank 2 cost four times as much: the first two seem to be
 * slower, on the third it is seen that they are not. */
TEST(costs_that_change_go_on_over_a_border)
{
    begin_known(4);
    rank[0].speed = rank[1].speed = 250;
    rank[2].low = 4;
    rank[2].work = 160;
    rank[2].rough = 0.02;
    assert_true(find(4, true));
    apply(4);
    assert_about(rank[0].speed / rank[3].speed, 1, 0.1);
    assert_about(rank[1].speed / rank[3].speed, 1, 0.1);
    assert_about(rank[2].speed / rank[3].speed, 1, 0.1);
    assert_about(rank[0].work / rank[3].work, 4, 0.1);
}

/* What was recorded counts by new weights, unless costs have just changed. */
TEST(recorded_rates_follow_weights_that_were_off)
{
    assert_true(keel_row_scale_recorded(1000, 4000, 4) == 4);
    assert_true(keel_row_scale_recorded(1000, 1000, 4) == 1);
    assert_true(keel_row_scale_recorded(0, 1000, 4) == 4);
    assert_true(keel_row_scale_recorded(1000, 0, 4) == 4);
}

/* Costs differ wildly from row to row: ranks are alike rather than their rows. */
TEST(rough_costs_tell_nothing_of_speeds)
{
    begin(4);
    rank[2].speed = 400;
    rank[2].low = 0.1;
    rank[2].high = 9;
    for (int p = 0; p < 4; p++) {
        rank[p].rough = 2;
    }
    find(4, true);
    apply(4);
    assert_about(rank[2].speed / rank[0].speed, 1, 0.2);
}
