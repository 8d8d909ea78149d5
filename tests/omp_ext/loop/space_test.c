/* Iteration spaces: counts and values at the ends of both integer kinds. */
#include <limits.h>
#include <stddef.h>

#include "omp_ext/instance/space.h"
#include "tests/support/unit.h"

TEST(counts_of_long_loops)
{
    static const struct {
        long start, end, incr;
        uint64_t iterations;
    } loops[] = {
        {0, 10, 1, 10},
        {0, 10, 3, 4},  /* 0 3 6 9 */
        {0, 9, 3, 3},   /* 0 3 6 */
        {10, 0, -3, 4}, /* 10 7 4 1 */
        {0, 0, 1, 0},
        {5, 0, 1, 0}, /* empty, not negative */
        {0, 5, -1, 0},
        {LONG_MIN, LONG_MAX, 1, UINT64_MAX}, /* 2^64 - 1 values before LONG_MAX */
        {LONG_MAX, LONG_MIN, -1, UINT64_MAX},
        {LONG_MIN, LONG_MAX, LONG_MAX, 3}, /* -2^63, -1, 2^63 - 2 */
        {LONG_MAX, LONG_MIN, LONG_MIN, 2}, /* 2^63 - 1, -1 */
        {LONG_MAX - 1, LONG_MAX, LONG_MAX, 1},
    };

    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        struct keel_space space = keel_space_long(loops[i].start, loops[i].end, loops[i].incr);
        assert_int_equal(space.iterations, loops[i].iterations);
    }
}

/* libgomp passes the step of a loop that goes down as its complement. */
TEST(counts_of_unsigned_loops)
{
    static const struct {
        bool up;
        unsigned long long start, end, incr;
        uint64_t iterations;
    } loops[] = {
        {true, 0, 10, 3, 4},
        {true, 0, ULLONG_MAX, 1, UINT64_MAX},
        {true, 1, 1, 1, 0},
        {true, 2, 1, 1, 0},
        {true, ULLONG_MAX - 1, ULLONG_MAX, ULLONG_MAX, 1},
        {false, 10, 0, -3ull, 4},
        {false, ULLONG_MAX, 0, -1ull, UINT64_MAX},
        {false, 1, 2, -1ull, 0},
        {false, ULLONG_MAX, 0, 1ull << 63, 2}, /* step -2^63: 2^64 - 1, 2^63 - 1 */
    };

    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        struct keel_space space =
            keel_space_ull(loops[i].up, loops[i].start, loops[i].end, loops[i].incr);
        assert_int_equal(space.iterations, loops[i].iterations);
    }
}

TEST(values_follow_the_step)
{
    struct keel_space down = keel_space_long(10, 0, -3);
    struct keel_space wide = keel_space_long(LONG_MIN, LONG_MAX, 1);

    assert_int_equal((long)keel_space_value(&down, 3), 1);
    assert_int_equal((long)keel_space_bound(&down, 3), 1);
    assert_true((long)keel_space_value(&wide, 1ull << 63) == 0);
}

/* 0 3 6 9 ends before 10, where 12 is the next value; the other bound would wrap. */
TEST(the_last_bound_is_the_programs)
{
    struct keel_space up = keel_space_long(0, 10, 3);
    struct keel_space edge = keel_space_long(LONG_MAX - 1, LONG_MAX, LONG_MAX);

    assert_int_equal((long)keel_space_bound(&up, 4), 10);
    assert_true((long)keel_space_bound(&edge, 1) == LONG_MAX);
}

/* 0 3 6 9 12 15 18 in pairs: 0, 6, 12 and, by itself, 18. */
TEST(units_of_several_iterations)
{
    const struct keel_space up = keel_space_long(0, 20, 3), down = keel_space_long(20, 0, -3);
    struct keel_space units = keel_space_in_units(&up, 2);

    assert_int_equal(units.iterations, 7);
    assert_int_equal(units.units, 4);
    assert_int_equal((long)keel_space_value(&units, 3), 18);
    assert_int_equal((long)keel_space_bound(&units, 3), 18);
    assert_int_equal((long)keel_space_bound(&units, 4), 20);
    assert_int_equal(keel_space_iteration(&units, 3), 6);
    assert_int_equal(keel_space_iteration(&units, 4), 7);
    units = keel_space_in_units(&down, 3);
    assert_int_equal(units.units, 3);
    assert_int_equal((long)keel_space_value(&units, 2), 2);
    assert_int_equal((long)keel_space_bound(&units, 3), 0);
}

TEST(a_grain_beyond_the_loop_leaves_one_unit)
{
    const uint64_t grains[] = {7, 8, LONG_MAX, UINT64_MAX};
    const struct keel_space few = keel_space_long(LONG_MAX - 7, LONG_MAX, 1);
    const struct keel_space all = keel_space_long(LONG_MIN, LONG_MAX, 1);
    const struct keel_space none = keel_space_long(3, 3, 1);

    for (size_t i = 0; i < sizeof grains / sizeof *grains; i++) {
        struct keel_space units = keel_space_in_units(&few, grains[i]);
        assert_int_equal(units.units, 1);
        assert_true((long)keel_space_value(&units, 0) == LONG_MAX - 7);
        assert_true((long)keel_space_bound(&units, 1) == LONG_MAX);
        assert_int_equal(keel_space_iteration(&units, 1), 7);
        assert_int_equal(keel_space_in_units(&none, grains[i]).units, 0);
    }
    assert_int_equal(keel_space_in_units(&all, UINT64_MAX).units, 1);
    /* 2^64 - 1 iterations: -2^63, -1, and 2^63 - 2 by itself */
    struct keel_space halves = keel_space_in_units(&all, LONG_MAX);
    assert_int_equal(halves.units, 3);
    assert_true((long)keel_space_value(&halves, 1) == -1);
    assert_true((long)keel_space_value(&halves, 2) == LONG_MAX - 1);
    assert_true(keel_space_iteration(&halves, 2) == UINT64_MAX - 1);
    assert_true(keel_space_iteration(&halves, 3) == UINT64_MAX);
}

TEST(a_chunk_that_is_no_size_is_no_grain)
{
    assert_int_equal(keel_space_grain(64), 64);
    assert_true(keel_space_grain(LONG_MAX) == LONG_MAX);
    assert_int_equal(keel_space_grain(0), 1);
    assert_int_equal(keel_space_grain(-64), 1);
    assert_int_equal(keel_space_grain(LONG_MIN), 1);
    assert_true(keel_space_grain_ull(ULLONG_MAX) == ULLONG_MAX);
    assert_int_equal(keel_space_grain_ull(0), 1);
}
