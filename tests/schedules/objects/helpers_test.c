/* Which ranks count as done by then: those that end first, by the latest that is known of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "schedules/objects/news.h"
#include "tests/support/draws.h"

#define OWN 1000000
#define NONE 1000001

static void note(struct keel_helpers *helpers, uint32_t rank, float left_s, float age_s,
                 double now_s)
{
    const struct keel_news_item item = {.rank = rank, .left_s = left_s, .age_s = age_s};

    keel_helpers_note(helpers, &item, OWN, now_s);
}

static void who_is_done_by_then_counts(void **state)
{
    (void)state;
    struct keel_helpers helpers = {0};

    assert_int_equal(keel_helpers_count(&helpers, NONE, 1000), 0);
    note(&helpers, 7, 5, 0, 10);
    note(&helpers, 8, 5, 3, 10); /* it had 5 s left at 7 s */
    assert_int_equal(keel_helpers_count(&helpers, NONE, 11), 0);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 12), 1);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 15), 2);
    assert_int_equal(keel_helpers_count(&helpers, 7, 15), 1); /* that one asks itself */
}

static void the_rank_itself_is_none(void **state)
{
    (void)state;
    struct keel_helpers helpers = {0};

    note(&helpers, OWN, 0, 0, 10);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 1000), 0);
}

static void the_latest_counts_whatever_comes_first(void **state)
{
    (void)state;
    struct keel_helpers helpers = {0};

    note(&helpers, 7, 50, 0, 10); /* it has got more */
    note(&helpers, 7, 1, 2, 10);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 20), 0);
    note(&helpers, 7, 1, 0, 11);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 20), 1);
}

/* Of many ranks, whatever the order in which they are told of. */
static void those_that_are_done_first_are_kept(void **state)
{
    (void)state;
    struct draws draws = draws_begin();
    struct keel_helpers helpers = {0};

    uint32_t first = (uint32_t)(draws_next(&draws) % 101);
    for (uint32_t i = 0; i < 101; i++) {
        uint32_t rank = (first + i * 37) % 101;
        note(&helpers, rank, (float)rank, 0, 0);
    }
    assert_int_equal(helpers.count, KEEL_HELPERS_MAX);
    assert_int_equal(keel_helpers_count(&helpers, NONE, KEEL_HELPERS_MAX - 1), KEEL_HELPERS_MAX);
}

/* What is known of it is no more so, though others are done before it. */
static void who_has_got_more_is_no_helper_any_more(void **state)
{
    (void)state;
    struct keel_helpers helpers = {0};

    for (uint32_t rank = 0; rank < KEEL_HELPERS_MAX; rank++) {
        note(&helpers, rank, 1, 0, 0);
    }
    note(&helpers, 7, 100, 0, 1);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 50), KEEL_HELPERS_MAX - 1);
    note(&helpers, 500, 1, 0, 1); /* for it */
    assert_int_equal(keel_helpers_count(&helpers, NONE, 50), KEEL_HELPERS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_done_by_then_counts),
        cmocka_unit_test(the_rank_itself_is_none),
        cmocka_unit_test(the_latest_counts_whatever_comes_first),
        cmocka_unit_test(those_that_are_done_first_are_kept),
        cmocka_unit_test(who_has_got_more_is_no_helper_any_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
