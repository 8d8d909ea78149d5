/* Amounts of migrations, and first blocks: by hand, brute force, and extremes. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/balance/moves.h"
#include "schedules/balance/victim.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

static uint64_t amount(uint64_t left, double speed, uint64_t taker_left, double taker_speed,
                       double delay_ns, double gamma)
{
    struct keel_amounts_side victim = {left, speed}, thief = {taker_left, taker_speed};

    return keel_amounts_to_transfer(&victim, &thief, delay_ns, gamma);
}

/* --- amounts --- */

TEST(halves_where_a_speed_is_not_known)
{
    static const double unknown[] = {0, -1, NAN, INFINITY, -INFINITY};

    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        assert_int_equal(amount(9, unknown[i], 0, 100, 5, 0), 5);
        assert_int_equal(amount(9, 100, 0, unknown[i], 5, 0), 5);
        assert_int_equal(amount(1, unknown[i], 0, unknown[i], 5, 0), 1);
        assert_int_equal(amount(9, 1, 4, unknown[i], 0, 0), 3);
        assert_int_equal(amount(9, 1, 10, unknown[i], 0, 0), 0);
        assert_int_equal(amount(UINT64_MAX, 1, 0, unknown[i], 0, 0), (uint64_t)1 << 63);
    }
    assert_int_equal(amount(100, 1, 0, 3, 0, NAN), 76);
    assert_int_equal(amount(100, 1, 0, 3, 0, -1), 76);
}

/* The two ends differ by no more than one iteration handed over more or less would make them. */
TEST(the_later_end_comes_soonest)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 20000; times++) {
        uint64_t left = draws_below(&draws, 40), taker_left = draws_below(&draws, 20);
        double speed = 0.1 + (double)draws_below(&draws, 100) / 10;
        double taker_speed = 0.1 + (double)draws_below(&draws, 100) / 10;
        double delay_ns = (double)draws_below(&draws, 300) / 100;
        double soonest = INFINITY;
        for (uint64_t n = 0; n <= left; n++) {
            soonest = fmin(soonest, fmax((double)(taker_left + n) / taker_speed + delay_ns,
                                         ((double)(left - n) + 0.5) / speed));
        }
        uint64_t n = amount(left, speed, taker_left, taker_speed, delay_ns, 0);
        assert_true(n <= left);
        assert_true(fmax((double)(taker_left + n) / taker_speed + delay_ns,
                         ((double)(left - n) + 0.5) / speed) <= soonest + 1e-9);
    }
}

/* The worked example, PAPERS.md K7: speeds 1, 2, 3, 4 and N iterations each. The faster of each
 * pair runs dry and gets what makes both end at 2N/5: two movements, of 3N/5 and 3N/15. */
TEST(the_worked_example)
{
    const uint64_t n = 1200000;

    assert_int_equal(amount(n - n / 4, 1, 0, 4, 0, 0),
                     3 * n / 5 + 1); /* half of one is under way */
    assert_int_equal(amount(n - n / 4, 1, 0, 4, 0, 4. / 5), 3 * n / 5);
    assert_int_equal(amount(n - 2 * n / 3, 2, 0, 3, 0, 0), 3 * n / 15);
    assert_int_equal(amount(n - 2 * n / 3, 2, 0, 3, 0, 3. / 5), 3 * n / 15);
}

/* --- blocks --- */

#define BLOCKS_MAX 64

TEST(equal_blocks_are_exact)
{
    struct draws draws = draws_begin();
    uint64_t first[BLOCKS_MAX + 1];

    for (int times = 0; times < 2000; times++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, BLOCKS_MAX);
        uint64_t n = times % 2 == 0 ? UINT64_MAX - (uint64_t)times : draws_below(&draws, 200);
        keel_amounts_first_blocks(n, workers, NULL, first);
        assert_int_equal(first[0], 0);
        assert_int_equal(first[workers], n);
        for (uint32_t w = 0; w <= workers; w++) {
            assert_int_equal(keel_amounts_equal_block(n, workers, w), first[w]);
        }
        for (uint32_t w = 0; w < workers; w++) {
            uint64_t size = first[w + 1] - first[w];
            assert_true(first[w] <= first[w + 1]);
            assert_true(size == n / workers || size == n / workers + 1);
        }
    }
}

TEST(blocks_by_hand)
{
    static const double weight[] = {1, 2, 3, 4}, huge[] = {DBL_MAX, DBL_MAX / 2, DBL_MAX / 2},
                        tiny[] = {DBL_TRUE_MIN, 3 * DBL_TRUE_MIN}, far[] = {1e-300, 1e300, 1e-300};
    uint64_t first[5];

    keel_amounts_first_blocks(100, 4, weight, first);
    assert_int_equal(first[1], 10);
    assert_int_equal(first[2], 30);
    assert_int_equal(first[3], 60);
    assert_int_equal(first[4], 100);
    keel_amounts_first_blocks(100, 3, huge, first);
    assert_int_equal(first[1], 50);
    assert_int_equal(first[2], 75);
    keel_amounts_first_blocks(100, 2, tiny, first);
    assert_int_equal(first[1], 25);
    keel_amounts_first_blocks(100, 3, far, first);
    assert_int_equal(first[1], 0);
    assert_int_equal(first[2], 100);
    keel_amounts_first_blocks(1, 3, NULL, first);
    assert_int_equal(first[1], 0);
    assert_int_equal(first[2], 1);
    keel_amounts_first_blocks(0, 4, weight, first);
    assert_int_equal(first[4], 0);
    keel_amounts_first_blocks(UINT64_MAX, 1, weight, first);
    assert_int_equal(first[1], UINT64_MAX);
}

/* Whole weights below 2^46, so that the exact ends can be worked out in integers. */
TEST(weighted_blocks_are_within_one_of_their_shares)
{
    struct draws draws = draws_begin();
    uint64_t first[BLOCKS_MAX + 1], whole[BLOCKS_MAX];
    double weight[BLOCKS_MAX];

    for (int times = 0; times < 2000; times++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, BLOCKS_MAX);
        uint64_t n = draws_next(&draws) >> (times % 3 == 0 ? 10 : 10 + draws_below(&draws, 54));
        unsigned __int128 total = 0, before = 0;
        for (uint32_t w = 0; w < workers; w++) {
            whole[w] = 1 + draws_next(&draws) % ((uint64_t)1 << (w % 3 == 0 ? 45 : 5));
            weight[w] = (double)whole[w] * 0x1p-7;
            total += whole[w];
        }
        keel_amounts_first_blocks(n, workers, weight, first);
        for (uint32_t w = 0; w <= workers; w++) {
            unsigned __int128 exact = n * before, got = first[w] * total;
            assert_true(got <= exact + total && exact <= got + total);
            assert_true(w == 0 || first[w - 1] <= first[w]);
            before += w < workers ? whole[w] : 0;
        }
        assert_int_equal(first[workers], n);
    }
}
