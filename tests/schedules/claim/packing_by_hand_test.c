/* Packings of loops whose costs are known: what stands where, worked out by hand. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/claim/packing.h"
#include "schedules/claim/plan.h"
#include "schedules/loop/spec.h"
#include "tests/schedules/claim/packing_cases.h"

/* --- worked out by hand --- */

/* The list as "first-last" words, blocks divided by bars; "+" for an iteration that is left out. */
static void expect_packing(const struct keel_spec *spec, const double *costs, uint64_t count,
                           uint64_t threads, const char *wanted)
{
    struct keel_packing *packing = build(spec, costs, count, threads);
    char text[400] = "";
    uint64_t block = 0;

    for (uint64_t i = 0; i <= packing->list->count; i++) {
        for (; packing->first != NULL && block < threads && packing->first[block + 1] == i;
             block++) {
            strcat(text, "|");
        }
        if (i < packing->list->count) {
            const struct keel_listed_chunk *chunk = &packing->list->chunk[i];
            sprintf(text + strlen(text), " %d-%d", (int)chunk->first, (int)chunk->last);
        }
    }
    assert_true(packing->list->iterations == count || packing->list->iterations == count - 1);
    strcat(text, packing->list->iterations < count ? " +" : "");
    assert_string_equal(text, wanted);
    free(packing);
}

/* Sum 28, 6 chunks. Shares of the rest: 28/6 takes 6; 22/5 takes 2 2, as 4 + 8/2 is more; 18/4
 * takes 8; 10/3 takes 1 1, as 2 + 4/2 is more; 8/2 takes 4; the last gets 4. Largest first onto the
 * least loaded: 8 to 0, 6 to 1, 4 to 2, 4 to 2, 4 to 1, 2 to 0 (8 8 10). */
static void chunks_are_packed_largest_first(void **state)
{
    static const double costs[] = {6, 2, 2, 8, 1, 1, 4, 4, 2};
    struct keel_spec spec = binlpt_of(6, 1);

    (void)state;
    expect_packing(&spec, costs, 9, 3, " 3-4 4-6| 0-1 7-8| 1-3 6-7| +");
}

/* Of 14, the last 4 are more than a quarter. 5 to 0, 4 to 1, 3 to 1, 1 to 0, 1 to 0; then 4 moves
 * behind 3. */
static void a_heavy_end_is_the_last_of_its_block(void **state)
{
    static const double costs[] = {5, 3, 1, 1, 4}, less[] = {5, 3, 1, 1, 10 / 3.};
    struct keel_spec spec = binlpt_of(4, 1);

    (void)state;
    expect_packing(&spec, costs, 5, 2, " 0-1 2-3 3-4| 1-2 4-5|");
    expect_packing(&spec, less, 5, 2, " 0-1| 1-2 2-3 3-4| +");
}

/* One chunk for the heavy one, 3 and 13 are divided by what is left of 5: 116/5, 13/3, 10/2. */
static void a_heavy_iteration_stands_alone(void **state)
{
    static const double costs[] = {1, 1, 1, 100, 1, 1, 1, 5, 5, 5};
    struct keel_spec five = binlpt_of(5, 1), one = binlpt_of(1, 1);

    (void)state;
    expect_packing(&five, costs, 10, 2, " 3-4| 7-8 8-9 0-3 4-7| +");
    expect_packing(&one, costs, 10, 2, " 0-9|| +");
}

/* Behind it, rounding has left nothing to divide. */
static void what_rounding_hides_is_listed(void **state)
{
    static const double costs[] = {1e300, 1, 1, 1, 1};
    struct keel_spec two = binlpt_of(2, 1), three = binlpt_of(3, 1);

    (void)state;
    expect_packing(&two, costs, 5, 2, " 0-1| 1-4| +");
    expect_packing(&three, costs, 5, 2, " 0-1| 2-4 1-2| +");
}

/* A chunk aims at 1/16 of 5, so that even two iterations of 1 are too much for one. */
static void short_loops_are_divided_finely(void **state)
{
    static const double costs[] = {1, 1, 3, 3};
    struct keel_spec spec = binlpt_of(0, 1);

    (void)state;
    expect_packing(&spec, costs, 4, 1, " 2-3 0-1 1-2| +");
}

static void equal_costs_make_equal_blocks(void **state)
{
    static const double ones[13] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, zeros[13];
    struct keel_spec four = binlpt_of(4, 1);

    (void)state;
    expect_packing(&four, ones, 13, 2, " 0-3 6-9| 3-6 9-12| +");
    expect_packing(&four, zeros, 13, 2, " 0-3 6-9| 3-6 9-12| +");
}

static void costly_iterations_come_first(void **state)
{
    static const double costs[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, zeros[3];
    struct keel_spec lpt = lpt_of(1), by_4 = lpt_of(4);

    (void)state;
    expect_packing(&lpt, costs, 10, 3, " 5-6 7-8 4-5 8-9 2-3 0-1 9-10 6-7 1-2 3-4");
    expect_packing(&by_4, costs, 10, 3, " 4-8 0-4 8-10"); /* 22, 9, 8 */
    expect_packing(&lpt, zeros, 3, 3, " 0-1 1-2 2-3");
}

/* Behind the last 3 may be 3 with two threads, and nothing with one. */
static void the_end_waits_until_the_others_are_busy(void **state)
{
    static const double costs[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    struct keel_spec lpt = lpt_of(1);

    (void)state;
    expect_packing(&lpt, costs, 10, 2, " 5-6 7-8 4-5 8-9 2-3 0-1 6-7 9-10 1-2 3-4");
    expect_packing(&lpt, costs, 10, 1, " 5-6 7-8 4-5 8-9 2-3 0-1 6-7 1-2 3-4 9-10");
}

static void small_loops(void **state)
{
    static const double costs[] = {2, 7};
    struct keel_spec binlpt = binlpt_of(0, 1), lpt = lpt_of(1), by_5 = binlpt_of(0, 5);

    (void)state;
    expect_packing(&binlpt, costs, 1, 1, "| +");
    expect_packing(&binlpt, costs, 1, 3, " 0-1|||");
    expect_packing(&binlpt, costs, 2, 1, " 0-1| +");
    expect_packing(&binlpt, costs, 2, 4, " 1-2| 0-1|||");
    expect_packing(&by_5, costs, 2, 2, " 1-2| 0-1|");
    expect_packing(&lpt, costs, 1, 5, " 0-1");
    expect_packing(&lpt, costs, 2, 5, " 1-2 0-1");
}

/* Costs that can't be count as 0. */
static void impossible_costs_are_nothing(void **state)
{
    static const double costs[] = {NAN, 2, -5, INFINITY, 3, -INFINITY};
    static const double sane[] = {0, 2, 0, 0, 3, 0};
    static const double nothing[] = {NAN, -1, INFINITY, NAN, -0.0};
    struct keel_spec lpt = lpt_of(1), two = binlpt_of(2, 1);

    (void)state;
    expect_packing(&lpt, costs, 6, 2, " 4-5 1-2 0-1 2-3 3-4 5-6");
    expect_packing(&two, costs, 6, 2, " 4-5| 0-4| +");
    expect_packing(&two, sane, 6, 2, " 4-5| 0-4| +");
    expect_packing(&two, nothing, 5, 2, " 0-2| 2-4| +");
}

/* Their sum is no finite number. */
static void huge_costs_are_balanced(void **state)
{
    static const double costs[] = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX, 1, DBL_TRUE_MIN, 0};
    struct keel_spec two = binlpt_of(2, 1);

    (void)state;
    expect_packing(&two, costs, 7, 2, " 0-2| 2-6| +");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_packed_largest_first),
        cmocka_unit_test(a_heavy_iteration_stands_alone),
        cmocka_unit_test(a_heavy_end_is_the_last_of_its_block),
        cmocka_unit_test(the_end_waits_until_the_others_are_busy),
        cmocka_unit_test(what_rounding_hides_is_listed),
        cmocka_unit_test(short_loops_are_divided_finely),
        cmocka_unit_test(equal_costs_make_equal_blocks),
        cmocka_unit_test(costly_iterations_come_first),
        cmocka_unit_test(small_loops),
        cmocka_unit_test(impossible_costs_are_nothing),
        cmocka_unit_test(huge_costs_are_balanced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
