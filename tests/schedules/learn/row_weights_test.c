/* What rows cost: which loops are over them, their times, their weights, and one scale for all
 * ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/rows/row_weights.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- loops over rows: which loops are over own rows, and which iteration is of which row
 * --- */

#define assert_close(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-9)

static const struct keel_own_rows middle = {true, 200, 100, 600};
static const struct keel_own_rows first = {true, 0, 100, 600}, last = {true, 500, 100, 600};
static const struct keel_own_rows scattered = {false, 3, 100, 600};

/* The loop's iteration 0 begins at place `from` of own rows, and iterations end at place `to`. */
static void matches(const struct keel_own_rows *own, uint64_t start, int64_t step,
                    uint64_t iterations, double from, double to)
{
    struct keel_row_match match;

    assert_true(keel_row_match(own, &(struct keel_row_loop){start, step, iterations}, &match));
    assert_close(match.place, from);
    assert_close(match.place + (double)iterations * match.pace, to);
}

static void fails(const struct keel_own_rows *own, uint64_t start, int64_t step,
                  uint64_t iterations)
{
    struct keel_row_match match;

    assert_false(keel_row_match(own, &(struct keel_row_loop){start, step, iterations}, &match));
}

TEST(numbers_of_rows)
{
    matches(&middle, 200, 1, 100, 0, 100);
    matches(&middle, 201, 1, 99, 1, 100);
    matches(&middle, 299, -1, 100, 100, 0);
    matches(&middle, 200, 2, 50, 0, 100);
    matches(&middle, 201, 2, 50, 1, 101);
    matches(&first, 1, 1, 99, 1, 100); /* without the first of all rows */
    matches(&last, 500, 1, 99, 0, 99); /* without the last */
    matches(&(struct keel_own_rows){true, 200, 1, 600}, 200, 1, 1, 0, 1);
    fails(&middle, 199, 1, 100);
    fails(&middle, 0, 1, 600);
    fails(&middle, 210, 1, 40); /* not half of them */
    fails(&scattered, 3, 1, 99);
    /* 2^64 rows farther on is no place again */
    fails(&(struct keel_own_rows){true, 200, 1, UINT64_C(1) << 40}, 200, INT64_C(1) << 32,
          (UINT64_C(1) << 32) + 1);
}

TEST(rows_count_from_1_in_fortran)
{
    matches(&middle, 201, 1, 100, 0, 100);
    matches(&first, 2, 1, 99, 1, 100);
    matches(&last, 501, 1, 99, 0, 99);
}

TEST(places_and_multiples)
{
    matches(&scattered, 0, 1, 100, 0, 100);
    matches(&scattered, 1, 1, 100, 0, 100);
    matches(&middle, 0, 1, 100, 0, 100);
    matches(&middle, 0, 1, 700, 0, 100);
    matches(&middle, 1400, 1, 700, 0, 100);
    fails(&middle, 5, 1, 700);
    fails(&middle, 0, 1, 701);
    fails(&(struct keel_own_rows){false, 0, 3, 600}, 0, 1, 300); /* may be anything */
}

/* --- times: what rows take in most phases --- */

#define assert_equal_but_rounding(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-12)

enum { TIMES = 10 };

static double time_s[KEEL_ROW_PARTS], error_s[KEEL_ROW_PARTS];

static void note(struct keel_row_times *times, double even_s, unsigned interrupted, double more_s)
{
    double phase_s[TIMES];

    for (unsigned i = 0; i < TIMES; i++) {
        phase_s[i] = even_s + (i == interrupted ? more_s : 0);
    }
    keel_row_times_note(times, phase_s, TIMES);
}

TEST(parts_cover_all_rows)
{
    for (uint64_t rows = 1; rows < 3000; rows++) {
        uint64_t each = keel_row_part_rows(rows), parts = keel_row_parts(rows);
        assert_in_range(parts, 1, KEEL_ROW_PARTS);
        assert_true((parts - 1) * each < rows && rows <= parts * each);
    }
}

/* Costs twice as much from two phases ago on; the same by chance, for a phase or of other lengths.
 * */
TEST(a_change_of_cost_counts_after_two_phases)
{
    struct keel_row_times times = {0};

    for (unsigned phase = 0; phase < 7; phase++) {
        note(&times, 1e-4, 5, phase == 2 ? 4e-3 : 0);
    }
    note(&times, 1e-4, 5, 1e-4);
    keel_row_times_common(&times, TIMES, time_s, error_s);
    assert_equal_but_rounding(time_s[5], 1e-4);
    note(&times, 1e-4, 5, 1e-4);
    keel_row_times_common(&times, TIMES, time_s, error_s);
    assert_equal_but_rounding(time_s[5], 2e-4);
    assert_equal_but_rounding(time_s[4], 1e-4);
    assert_equal_but_rounding(error_s[5], 0.05 * 2e-4 / sqrt(2)); /* as far as two agree */
    assert_true(error_s[4] > 0 && error_s[4] <= 0.02 * 1e-4);
}

TEST(a_long_phase_is_enough)
{
    struct keel_row_times times = {0};

    note(&times, 0.1, 4, 0.01); /* beside quanta */
    assert_true(keel_row_times_are_known(&times, TIMES));
    keel_row_times_common(&times, TIMES, time_s, error_s);
    for (unsigned i = 0; i < TIMES; i++) {
        assert_equal_but_rounding(time_s[i], 0.1);
    }
}

/* --- weights of one rank: weights of a rank's rows from their times: costs are distinguished from
 * speed --- */

enum { PARTS = 40 };

static struct keel_row_part part[KEEL_ROW_PARTS];
static struct keel_row_measurement measured;

/* Parts of 3 rows of weight 1 that took as long as at a speed of 3000 rows a second. */
static void set_even(void)
{
    for (unsigned i = 0; i < PARTS; i++) {
        part[i] = (struct keel_row_part){
            .rows = 3, .weight = 3, .time_s = 1e-3, .error_s = 4e-5, .origin = KEEL_ROW_HERE};
    }
}

static void slow_down(unsigned from, unsigned to, double factor)
{
    for (unsigned i = from; i < to; i++) {
        part[i].time_s *= factor;
    }
}

TEST(even_rows_stay_as_they_are)
{
    set_even();
    for (unsigned i = 0; i < PARTS; i++) {
        part[i].time_s *= i % 2 == 0 ? 1.03 : 0.97;
    }
    keel_row_measure(part, PARTS, &measured);
    assert_false(measured.differs);
    assert_true(measured.trust[KEEL_ROW_FROM_BELOW] == 0);
}

/* One of 40 parts, by a quarter: 0.6 % of all, whatever the unit of weights is. */
TEST(little_of_all_stays_as_it_is)
{
    for (int i = 0; i < 3; i++) {
        set_even();
        for (unsigned j = 0; j < PARTS; j++) {
            part[j].weight = 3 * pow(1000, i - 1);
        }
        slow_down(7, 8, 1.25);
        keel_row_measure(part, PARTS, &measured);
        assert_false(measured.differs);
        assert_near(measured.factor[7], 1.25);
    }
}

/* As fast as half of the rows are at least: 3 of 1 to 5 rows a second, in whatever order. */
TEST(the_speed_is_that_of_most_rows)
{
    static const double speed[] = {5, 1, 4, 2, 3};

    for (unsigned i = 0; i < 5; i++) {
        part[i] = (struct keel_row_part){
            .rows = 1, .weight = 1, .time_s = 1 / speed[i], .origin = KEEL_ROW_HERE};
    }
    keel_row_measure(part, 5, &measured);
    assert_near(measured.speed, 3);
    keel_row_measure(part, 1, &measured);
    assert_near(measured.speed, 5);
}

/* Two parts came, one of which takes twice as long. With L = ln 2, times of the four parts differ
 * by L twice, which makes 0.01 + L^2 / 2 each, and the two spread by L / 2. */
TEST(what_came_is_trusted_as_far_as_it_agrees)
{
    const double squared = log(2) * log(2), each = 0.01 + squared / 2;

    for (unsigned i = 0; i < 4; i++) {
        part[i] = (struct keel_row_part){.rows = 1,
                                         .weight = 1,
                                         .time_s = i == 1 ? 2 : 1,
                                         .origin = i < 2 ? KEEL_ROW_FROM_BELOW : KEEL_ROW_HERE};
    }
    keel_row_measure(part, 4, &measured);
    assert_near(measured.trust[KEEL_ROW_FROM_BELOW],
                1 / (0.0025 + (each + squared / 4) / 2 + each / 2));
}

TEST(rows_that_came_weigh_otherwise)
{
    set_even();
    for (unsigned i = 0; i < 8; i++) {
        part[i].origin = KEEL_ROW_FROM_BELOW;
    }
    slow_down(0, 8, 2);
    keel_row_measure(part, PARTS, &measured);
    assert_near(measured.factor[4], 2);
    assert_near(measured.shift[KEEL_ROW_FROM_BELOW], -log(2));
    assert_true(measured.trust[KEEL_ROW_FROM_BELOW] > 10);
    assert_true(measured.trust[KEEL_ROW_FROM_ABOVE] == 0);
}

TEST(nothing_follows_from_nothing)
{
    set_even();
    slow_down(0, PARTS, 0);
    keel_row_measure(part, PARTS, &measured);
    assert_true(measured.speed == 0 && !measured.differs);
    part[0] = (struct keel_row_part){.rows = 1, .time_s = 1}; /* of no weight */
    keel_row_measure(part, 1, &measured);
    assert_true(measured.speed == 0);
}

/* --- flow: what rows weigh that have moved, by the times of ranks before and after --- */

enum { ROWS = 600, FLOW_RANKS_MAX = 8, RANKS_MANY = 33 };

#define assert_near_enough(got, wanted) assert_true(fabs((got) / (wanted)-1) <= 1e-6)

static double cost[ROWS], speed[FLOW_RANKS_MAX], room[FLOW_RANKS_MAX];
static struct keel_row_flow_rank flow_rank[FLOW_RANKS_MAX];
static struct keel_row_flow flow[FLOW_RANKS_MAX];

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
    flow_rank[0] = (struct keel_row_flow_rank){before, sum(0, before) / speed[0], after,
                                               sum(0, after) / speed[0]};
    flow_rank[1] = (struct keel_row_flow_rank){ROWS - before, sum(before, ROWS) / speed[1],
                                               ROWS - after, sum(after, ROWS) / speed[1]};
    return keel_row_flow_find(flow_rank, 2, 0, room, flow);
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
    assert_near_enough(flow[0].work / flow[1].work, sum(0, 450) / sum(450, ROWS));
    assert_near_enough(flow[1].factor * 150 / flow[0].work, sum(300, 450) / sum(0, 450));
}

/* A flow_rank has become slow, and nothing is said of rows. */
TEST(a_change_of_speed_is_doubtful)
{
    set_step(1);
    speed[0] = speed[1] = 1000;
    flow_rank[0] = (struct keel_row_flow_rank){300, 0.3, 200, 0.4};
    flow_rank[1] = (struct keel_row_flow_rank){300, 0.3, 400, 0.4};
    assert_int_equal(keel_row_flow_find(flow_rank, 2, 0, room, flow), KEEL_ROW_FLOW_DOUBTFUL);
}

TEST(nothing_follows_from_little)
{
    set_step(4);
    speed[0] = speed[1] = 1000;
    assert_int_equal(move(300, 301), KEEL_ROW_FLOW_AS_SUPPOSED);
    flow_rank[1].time_s = 0;
    assert_int_equal(keel_row_flow_find(flow_rank, 2, 0, room, flow), KEEL_ROW_FLOW_UNKNOWN);
}

/* --- scale: one scale for all ranks' weights: from borders, from rows that have moved, and
 * from nothing --- */

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
TEST(rows_that_moved_show_costs)
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
TEST(rough_costs_show_nothing_of_speeds)
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
