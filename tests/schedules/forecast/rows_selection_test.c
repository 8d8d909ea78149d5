/* Which policy `auto` follows for rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/forecast/rows_selection.h"
#include "tests/support/draws.h"

#define WORKERS_MAX 40

static struct keel_rows_outlook outlook_of(uint32_t workers, const double *work, const double *rate)
{
    struct keel_rows_outlook outlook = {
        .workers = workers,
        .work = work,
        .rate = rate,
        .adjacent = true,
        .step_s = 1,
        .horizon_s = 10,
        .gain = 0.05,
    };

    for (uint32_t w = 0; w < workers; w++) {
        outlook.rows += (uint64_t)work[w];
    }
    return outlook;
}

static unsigned choose(const struct keel_rows_outlook *outlook, double *time_s)
{
    void *scratch = malloc(keel_rows_selection_scratch(outlook->workers));
    unsigned chosen = keel_rows_selection_choose(outlook, time_s, scratch);

    free(scratch);
    return chosen;
}

static enum keel_decide_kind kind_of(const struct keel_rows_outlook *outlook)
{
    return keel_rows_candidates[choose(outlook, NULL)].kind;
}

/* Two workers, the first twice as fast: 30 and 60 rows' worth of rate, 60 rows each. A phase takes
 * 60 / 30 = 2 s, balanced 120 / 90 = 4/3 s; a step is one phase. 5 steps ahead and the one that is
 * over: 2 + 5 * 4/3 = 8.667 s, and 20 rows move once: 1 message of 0.5 s and 20 * 0.01 s. */
static void times_are_the_models(void **state)
{
    double time_s[KEEL_ROWS_CANDIDATES];
    struct keel_rows_outlook outlook = outlook_of(2, (double[]){60, 60}, (double[]){60, 30});

    (void)state;
    outlook.step_s = 2;
    outlook.horizon_s = 10;
    outlook.message_s = 0.5;
    outlook.row_s = 0.01;
    assert_int_equal(choose(&outlook, time_s), 0);
    assert_float_equal(time_s[0], 2 + 5 * 4.0 / 3 + 0.7, 1e-9);
}

/* One worker of 16 is slow. By rates it sends 5 rows to each of the others; with dear messages, 33
 * to each of its neighbours take less time, unless there is enough of it. */
static void dear_messages_that_pay_for_a_short_time_go_to_neighbours(void **state)
{
    double work[16], rate[16];

    (void)state;
    for (int w = 0; w < 16; w++) {
        work[w] = 100;
        rate[w] = w == 8 ? 25 : 100;
    }
    struct keel_rows_outlook outlook = outlook_of(16, work, rate);
    outlook.adjacent = false;
    outlook.step_s = 4;
    outlook.horizon_s = 12;
    outlook.message_s = 0.5;
    assert_int_equal(kind_of(&outlook), KEEL_DECIDE_BY_DIFFUSION);
    outlook.message_s = 1e-5;
    assert_int_equal(kind_of(&outlook), KEEL_DECIDE_BY_RATE);
    outlook.message_s = 0.5;
    outlook.step_s = 40;
    outlook.horizon_s = INFINITY;
    assert_int_not_equal(kind_of(&outlook), KEEL_DECIDE_BY_DIFFUSION);
}

static void nothing_is_asked_where_little_is_gained(void **state)
{
    double time_s[KEEL_ROWS_CANDIDATES] = {1, 1, 1, 1};
    struct keel_rows_outlook outlook = outlook_of(2, (double[]){52, 48}, (double[]){1, 1});

    (void)state;
    assert_int_equal(choose(&outlook, time_s), 0);
    assert_true(time_s[0] == 0 && time_s[3] == 0);
    outlook.gain = 0.01;
    choose(&outlook, time_s);
    assert_true(time_s[0] > 0);
}

/* Shares of work that is no number of rows: the same choice, the same times. */
static void units_of_work_do_not_matter(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int times = 0; times < 100; times++) {
        uint32_t workers = 2 + (uint32_t)draws_below(&draws, WORKERS_MAX - 1);
        double work[WORKERS_MAX], rate[WORKERS_MAX], small[WORKERS_MAX], slow[WORKERS_MAX];
        double time_s[2][KEEL_ROWS_CANDIDATES];
        for (uint32_t w = 0; w < workers; w++) {
            work[w] = 5000 + (double)draws_below(&draws, 5000);
            rate[w] = 1 + (double)draws_below(&draws, 8);
            small[w] = work[w] * 0.37e-3;
            slow[w] = rate[w] * 0.37e-3;
        }
        struct keel_rows_outlook outlook = outlook_of(workers, work, rate);
        outlook.message_s = 0.001;
        outlook.row_s = 1e-5;
        struct keel_rows_outlook other = outlook;
        other.work = small;
        other.rate = slow;
        choose(&outlook, time_s[0]);
        choose(&other, time_s[1]);
        for (int i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
            assert_float_equal(time_s[0][i] / time_s[1][i], 1, 0.03);
        }
    }
}

static void odd_numbers_are_harmless(void **state)
{
    struct draws draws = draws_begin();
    static const double odd[] = {0, -1, NAN, INFINITY, -INFINITY, 1e300, 1e-300, 5};

    (void)state;
    for (int times = 0; times < 3000; times++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, 5);
        double work[5], rate[5], time_s[KEEL_ROWS_CANDIDATES];
        for (uint32_t w = 0; w < 5; w++) {
            work[w] = odd[draws_below(&draws, 8)];
            rate[w] = odd[draws_below(&draws, 8)];
        }
        struct keel_rows_outlook outlook = {
            .workers = workers,
            .work = work,
            .rate = rate,
            .rows = draws_below(&draws, 1000),
            .adjacent = draws_below(&draws, 2) == 0,
            .step_s = odd[draws_below(&draws, 8)],
            .horizon_s = odd[draws_below(&draws, 8)],
            .message_s = odd[draws_below(&draws, 8)],
            .row_s = odd[draws_below(&draws, 8)],
            .gain = odd[draws_below(&draws, 8)],
        };
        assert_in_range(choose(&outlook, time_s), 0, KEEL_ROWS_CANDIDATES - 1);
        for (int i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
            assert_false(isnan(time_s[i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_the_models),
        cmocka_unit_test(dear_messages_that_pay_for_a_short_time_go_to_neighbours),
        cmocka_unit_test(nothing_is_asked_where_little_is_gained),
        cmocka_unit_test(units_of_work_do_not_matter),
        cmocka_unit_test(odd_numbers_are_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
