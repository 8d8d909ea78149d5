/* papers_dir/fg95/curve.h: the curve comes to every square once, and goes to one beside it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "bench/papers_dir/fg95/curve.h"
#include "tests/support/unit.h"

TEST(the_curve_passes_all_squares_without_a_jump)
{
    for (unsigned order = 0; order <= 6; order++) {
        uint32_t side = 1u << order, count = side * side;
        int at[64 * 64][2];

        for (uint32_t i = 0; i < count; i++) {
            at[i][0] = -1;
        }
        for (uint32_t x = 0; x < side; x++) {
            for (uint32_t y = 0; y < side; y++) {
                uint32_t passed = curve_to(order, x, y);
                assert_true(passed < count);
                assert_int_equal(at[passed][0], -1);
                at[passed][0] = (int)x;
                at[passed][1] = (int)y;
            }
        }
        for (uint32_t i = 1; i < count; i++) {
            assert_int_equal(abs(at[i][0] - at[i - 1][0]) + abs(at[i][1] - at[i - 1][1]), 1);
        }
    }
}

TEST(it_ends_in_the_lower_right_corner)
{
    assert_true(curve_to(16, 0, 0) == 0);
    assert_true(curve_to(16, 65535, 0) == UINT32_MAX);
}
