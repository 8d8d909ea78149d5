/* Weights of a rank's rows from their times: costs are told apart from speed. */
#include <math.h>
#include <stddef.h>

#include "schedules/rows/measure.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define assert_near(got, wanted) assert_true(fabs((got) / (wanted)-1) <= 1e-9)

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
    keel_row_measure(part, PARTS, 0, &measured);
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
        keel_row_measure(part, PARTS, 0, &measured);
        assert_false(measured.differs);
        assert_near(measured.factor[7], 1.25);
    }
}

TEST(a_slow_rank_has_the_same_rows)
{
    set_even();
    slow_down(0, PARTS, 2);
    keel_row_measure(part, PARTS, 3000, &measured);
    assert_false(measured.differs);
    assert_near(measured.speed, 1500);
}

TEST(some_rows_cost_more)
{
    for (int known = 0; known < 2; known++) {
        set_even();
        slow_down(30, PARTS, 5);
        keel_row_measure(part, PARTS, known ? 3000 : 0, &measured);
        assert_true(measured.differs);
        assert_near(measured.speed, 3000);
        assert_near(measured.factor[10], 1);
        assert_near(measured.factor[35], 5);
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
    keel_row_measure(part, 5, 0, &measured);
    assert_near(measured.speed, 3);
    keel_row_measure(part, 1, 0, &measured);
    assert_near(measured.speed, 5);
}

/* Most rows cost more, but not all: the rank is as fast as before. */
TEST(most_rows_cost_more)
{
    set_even();
    slow_down(18, PARTS, 4);
    keel_row_measure(part, PARTS, 3000, &measured);
    assert_near(measured.speed, 3000);
    assert_near(measured.factor[0], 1);
    assert_near(measured.factor[20], 4);
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
    keel_row_measure(part, 4, 0, &measured);
    assert_near(measured.trust[KEEL_ROW_FROM_BELOW],
                1 / (0.0025 + (each + squared / 4) / 2 + each / 2));
}

/* 16 of 40 parts that are as fast as before say so, 15 do not. */
TEST(two_fifths_of_the_rows_say_that_a_rank_is_as_fast)
{
    for (unsigned fast = 15; fast <= 16; fast++) {
        set_even();
        slow_down(fast, PARTS, 4);
        keel_row_measure(part, PARTS, 3000, &measured);
        assert_near(measured.speed, fast < 16 ? 750 : 3000);
    }
}

TEST(rows_that_came_weigh_otherwise)
{
    set_even();
    for (unsigned i = 0; i < 8; i++) {
        part[i].origin = KEEL_ROW_FROM_BELOW;
    }
    slow_down(0, 8, 2);
    keel_row_measure(part, PARTS, 3000, &measured);
    assert_near(measured.factor[4], 2);
    assert_near(measured.shift[KEEL_ROW_FROM_BELOW], -log(2));
    assert_true(measured.trust[KEEL_ROW_FROM_BELOW] > 10);
    assert_true(measured.trust[KEEL_ROW_FROM_ABOVE] == 0);
}

TEST(a_rank_without_rows_of_its_own_is_as_fast_as_before)
{
    set_even();
    for (unsigned i = 0; i < PARTS; i++) {
        part[i].origin = KEEL_ROW_FROM_ABOVE;
    }
    slow_down(0, PARTS, 3);
    keel_row_measure(part, PARTS, 3000, &measured);
    assert_near(measured.speed, 3000);
    assert_near(measured.shift[KEEL_ROW_FROM_ABOVE], -log(3));
    keel_row_measure(part, PARTS, 0.5, &measured);
    assert_near(measured.speed, 0.5);
}

TEST(nothing_follows_from_nothing)
{
    set_even();
    slow_down(0, PARTS, 0);
    keel_row_measure(part, PARTS, 0, &measured);
    assert_true(measured.speed == 0 && !measured.differs);
    part[0] = (struct keel_row_part){.rows = 1, .time_s = 1}; /* of no weight */
    keel_row_measure(part, 1, 0, &measured);
    assert_true(measured.speed == 0);
}

/* Whatever times are, weights are numbers, and where they differ they go with the times. */
TEST(weights_go_with_times)
{
    struct draws draws = {draws_seed()};

    for (int i = 0; i < 20000; i++) {
        unsigned parts = 1 + (unsigned)draws_below(&draws, KEEL_ROW_PARTS);
        for (unsigned p = 0; p < parts; p++) {
            double time_s = pow(10, (double)draws_below(&draws, 7) - 6);
            part[p] = (struct keel_row_part){
                .rows = 1 + (double)draws_below(&draws, 5),
                .weight = (double)draws_below(&draws, 3),
                .time_s = draws_below(&draws, 9) == 0 ? 0 : time_s,
                .origin = (enum keel_row_origin)draws_below(&draws, KEEL_ROW_ORIGINS)};
        }
        double before = draws_below(&draws, 2) ? 1000 : 0;
        keel_row_measure(part, parts, before, &measured);
        for (unsigned p = 0; measured.speed > 0 && p < parts; p++) {
            double weight = measured.factor[p] < 0 ? -measured.factor[p] * part[p].rows
                                                   : measured.factor[p] * part[p].weight;
            double by_time = part[p].time_s * measured.speed;
            assert_true(isfinite(weight) && weight > 0);
            assert_true(weight >= 0.94 * by_time);
        }
    }
}
