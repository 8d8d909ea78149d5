/* Which loops are over own rows, and which iteration is of which row. */
#include <math.h>
#include <stddef.h>

#include "schedules/rows/row_weights.h"
#include "tests/support/unit.h"

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
