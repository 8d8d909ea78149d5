/* The median of a stream. */
#include <stddef.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

TEST(of_two_modes_the_larger_one_counts)
{
    struct keel_median median = {0}, other = {0};

    keel_median_add(&median, 100, 40);
    keel_median_add(&median, 30000, 60);
    assert_true(keel_median_of(&median) == 30000);
    keel_median_add(&other, 100, 20); /* as many of each: the lower one */
    keel_median_merge(&median, &other);
    assert_true(keel_median_of(&median) == 100);
}

static int by_size(const void *a, const void *b)
{
    return (*(const uint64_t *)a > *(const uint64_t *)b) -
           (*(const uint64_t *)a < *(const uint64_t *)b);
}

TEST(it_is_off_by_less_than_a_factor_of_two)
{
    struct draws draws = draws_begin();
    static uint64_t amount[1001];

    for (int round = 0; round < 200; round++) {
        struct keel_median median = {0};
        uint64_t most = UINT64_C(1) << (8 + draws_below(&draws, 28));
        for (int i = 0; i < 1001; i++) {
            amount[i] = 64 + draws_below(&draws, most);
            keel_median_add(&median, amount[i], 1);
        }
        qsort(amount, 1001, sizeof amount[0], by_size);
        double exact = (double)amount[500];
        assert_true(keel_median_of(&median) > exact / 2 && keel_median_of(&median) < exact * 2);
    }
}
