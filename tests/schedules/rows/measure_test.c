/* Weights of a rank's rows from their times: costs are told apart from speed. */
#include <math.h>
#include <stddef.h>

#include "schedules/rows/row_weights.h"
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
