/* How many ranks are looked at at a time: by hand, and beside the formula for all numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedules/balance/victim.h"
#include "schedules/objects/looking.h"
#include "tests/support/draws.h"

#define MOST 16
#define OTHERWISE 4

static uint32_t chosen(uint32_t others, double empty, double message_s, double wait_s)
{
    const struct keel_neighbourhood_case measured = {others, empty, message_s, wait_s};

    return keel_neighbourhood(&measured, MOST, OTHERWISE);
}

/* Of 63 others 16 have nothing: T(d) in units of message_s, with a wait of 8, is 76.5 for d = 1, 60
 * (of 12 and 5 rounds on average) for 4, (1 + 2) / 2 * 16 = 24 for 8, and 24 for 16. */
static void is_the_formula(void **state)
{
    (void)state;
    assert_int_equal(chosen(64, 0.25, 1e-6, 8e-6), 8);
    assert_int_equal(chosen(64, 0.25, 1e-6, 9e-6), 16);
    assert_int_equal(chosen(64, 0.25, 1e-6, 7e-6), 8);
}

static double search(double empty, double message_s, double wait_s, uint32_t d)
{
    double rounds = ceil(empty / d);

    return (1 + (rounds < 1 ? 1 : rounds)) / 2 * (d * message_s + wait_s);
}

static void no_other_one_is_quicker(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int i = 0; i < 2000; i++) {
        uint32_t others = 1 + (uint32_t)(draws_next(&draws) % 500);
        double empty = (double)(draws_next(&draws) % 101) / 100;
        double message_s = 1e-7 * (1 + (double)(draws_next(&draws) % 1000));
        double wait_s = 1e-7 * (1 + (double)(draws_next(&draws) % 100000));
        uint32_t best = chosen(others, empty, message_s, wait_s);
        assert_true(best >= 1 && best <= MOST && best <= others);
        for (uint32_t d = 1; d <= MOST && d <= others; d++) {
            double s = search(empty * others, message_s, wait_s, d);
            double best_s = search(empty * others, message_s, wait_s, best);
            assert_true(best_s <= s);
            assert_true(d >= best || s > best_s); /* the first of several */
        }
    }
}

/* Late answers make it larger, dear messages smaller; nobody idle: one is enough. */
static void follows_costs(void **state)
{
    uint32_t before = 1;

    (void)state;
    for (double wait_s = 1e-7; wait_s < 1; wait_s *= 3) {
        uint32_t d = chosen(500, 0.5, 1e-6, wait_s);
        assert_true(d >= before);
        before = d;
    }
    assert_int_equal(before, MOST);
    assert_int_equal(chosen(500, 0.5, 1, 1e-6), 1);
    assert_int_equal(chosen(500, 0, 1e-6, 1), 1);
}

static void nothing_known(void **state)
{
    const double none[] = {0, -1, NAN, INFINITY};

    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(chosen(500, 0.5, none[i], 1e-3), OTHERWISE);
        assert_int_equal(chosen(500, 0.5, 1e-6, none[i]), OTHERWISE);
        assert_int_equal(chosen(2, 0.5, none[i], 1e-3), 2);
        assert_int_equal(chosen(0, 0.5, none[i], 1e-3), 1);
    }
    assert_int_equal(chosen(0, 1, 1e-6, 1), 1);
    assert_int_equal(chosen(1, 1, 1e-6, 1), 1);
    assert_int_equal(chosen(500, NAN, 1e-6, 1), chosen(500, 0, 1e-6, 1));
    assert_int_equal(chosen(500, INFINITY, 1e-6, 1), chosen(500, 1, 1e-6, 1));
    assert_int_equal(chosen(UINT32_MAX, 1, 1e-6, 1), MOST);
}

/* Of a search that is on its way the next neighbourhood has that size. */
static void holds_from_the_next_one_on(void **state)
{
    struct keel_victim_search search;
    uint32_t looks[2] = {0, 0};

    (void)state;
    keel_victim_begin(&search, KEEL_VICTIM_DIFFUSE, 9, 0, NULL, 2, 1);
    for (int i = 0; i < 2; i++) {
        struct keel_victim_step step = keel_victim_next(&search);
        keel_victim_set_neighbours(&search, 5);
        uint32_t asked[8];
        for (; step.action == KEEL_VICTIM_LOOK; step = keel_victim_next(&search)) {
            asked[looks[i]++] = step.worker;
        }
        for (uint32_t k = 0; k < looks[i]; k++) {
            keel_victim_answered(&search, asked[k], 0, 0, false);
        }
    }
    assert_int_equal(looks[0], 2);
    assert_int_equal(looks[1], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_formula),
        cmocka_unit_test(no_other_one_is_quicker),
        cmocka_unit_test(follows_costs),
        cmocka_unit_test(nothing_known),
        cmocka_unit_test(holds_from_the_next_one_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
