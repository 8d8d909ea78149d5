/* Whole rows by hand, and that sums stay whatever is wanted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/balance/whole_rows.h"
#include "tests/support/draws.h"

#define WORKERS_MAX 12

static void assert_cut(const struct keel_whole_rows *present, const double *wanted, bool leave_none,
                       const uint64_t *expected, const double *expected_work)
{
    uint64_t rows[WORKERS_MAX];
    double work[WORKERS_MAX];

    keel_whole_rows_cut(present, wanted, leave_none, rows);
    keel_whole_rows_work(present, rows, work);
    for (uint32_t w = 0; w < present->workers; w++) {
        assert_int_equal(rows[w], expected[w]);
        assert_true(fabs(work[w] - expected_work[w]) < 1e-9);
    }
}

/* 10 rows of 1, 10 of 3: half of all work lies after the first 10 and 3 1/3 of the others. */
static void blocks_are_cut_where_the_work_is(void **state)
{
    uint64_t rows[] = {10, 10};
    double work[] = {10, 30};
    struct keel_whole_rows present = {2, true, rows, work};

    (void)state;
    assert_cut(&present, (double[]){20, 20}, false, (uint64_t[]){13, 7}, (double[]){19, 21});
    assert_cut(&present, (double[]){5, 35}, false, (uint64_t[]){5, 15}, (double[]){5, 35});
    assert_cut(&present, (double[]){10, 30}, false, rows, work);
}

/* The first gives 5 of its rows of 2; the others take them 3 : 2. */
static void others_give_and_take(void **state)
{
    uint64_t rows[] = {10, 5, 5};
    double work[] = {20, 5, 5};
    struct keel_whole_rows present = {3, false, rows, work};

    (void)state;
    assert_cut(&present, (double[]){10, 11, 9}, false, (uint64_t[]){5, 8, 7},
               (double[]){10, 11, 9});
}

static void nobody_is_left_without(void **state)
{
    uint64_t rows[] = {2, 4, 2};
    double work[] = {2, 4, 2}, all[] = {0, 8, 0};
    struct keel_whole_rows blocks = {3, true, rows, work}, others = {3, false, rows, work};

    (void)state;
    for (int any = 0; any < 2; any++) {
        const struct keel_whole_rows *present = any ? &others : &blocks;
        assert_cut(present, all, false, (uint64_t[]){1, 6, 1}, (double[]){1, 6, 1});
        assert_cut(present, all, true, (uint64_t[]){0, 8, 0}, all);
    }
}

static void too_few_rows_stay_few(void **state)
{
    uint64_t rows[] = {1, 0, 1}, none[] = {0, 0, 0};
    double work[] = {1, 0, 1}, nothing[] = {0, 0, 0};

    (void)state;
    for (int adjacent = 0; adjacent < 2; adjacent++) {
        struct keel_whole_rows few = {3, adjacent, rows, work};
        struct keel_whole_rows empty = {3, adjacent, none, nothing};
        assert_cut(&few, (double[]){0, 0, 2}, false, (uint64_t[]){0, 0, 2}, (double[]){0, 0, 2});
        assert_cut(&empty, nothing, false, none, nothing);
    }
}

static void sums_stay(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int times = 0; times < 20000; times++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, WORKERS_MAX);
        uint64_t rows[WORKERS_MAX], cut[WORKERS_MAX], all = 0, left = 0, range;
        double work[WORKERS_MAX], wanted[WORKERS_MAX], after[WORKERS_MAX];
        double sum = 0, share = 0, worked = 0;
        range = draws_below(&draws, 2) > 0 ? 4 : 1000;
        for (uint32_t w = 0; w < workers; w++) {
            rows[w] = draws_below(&draws, range);
            work[w] = (double)rows[w] * (double)draws_below(&draws, 3) / 2;
            wanted[w] = draws_below(&draws, 4) > 0 ? (double)draws_below(&draws, 100) : 0;
            all += rows[w];
            sum += work[w];
            share += wanted[w];
        }
        for (uint32_t w = 0; w < workers; w++) {
            wanted[w] = share > 0 ? wanted[w] * (sum / share) : work[w];
        }
        struct keel_whole_rows present = {workers, draws_below(&draws, 2) > 0, rows, work};
        bool leave_none = draws_below(&draws, 2) > 0;
        keel_whole_rows_cut(&present, wanted, leave_none, cut);
        keel_whole_rows_work(&present, cut, after);
        for (uint32_t w = 0; w < workers; w++) {
            assert_true(cut[w] <= all);
            assert_true(after[w] >= 0);
            assert_true(leave_none || all < workers || cut[w] > 0);
            left += cut[w];
            worked += after[w];
        }
        assert_int_equal(left, all);
        assert_true(fabs(worked - sum) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_cut_where_the_work_is),
        cmocka_unit_test(others_give_and_take),
        cmocka_unit_test(nobody_is_left_without),
        cmocka_unit_test(too_few_rows_stay_few),
        cmocka_unit_test(sums_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
