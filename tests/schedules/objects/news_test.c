/* What ranks know of each other: objects that wait, and which ranks are done by then. */
#include <stdbool.h>
#include <stddef.h>

#include "schedules/objects/news.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

/* --- news of objects that wait --- */

#define OWN 1000000

static struct keel_news_item item(uint32_t rank, float left_s, float one_s, float age_s)
{
    return (struct keel_news_item){rank, left_s, one_s, age_s};
}

static void note(struct keel_news *news, struct keel_news_item told, double now_s)
{
    keel_news_note(news, &told, OWN, now_s);
}

TEST(a_rank_is_told_nothing_of_itself)
{
    struct keel_news news = {0};

    note(&news, item(OWN, 50, 5, 0), 1);
    assert_int_equal(keel_news_choose(&news, 0, 1, 0), KEEL_NEWS_NOBODY);
}

TEST(what_a_rank_has_done_since_is_not_left)
{
    struct keel_news news = {0};

    note(&news, item(7, 20, 5, 0), 10);
    assert_int_equal(keel_news_choose(&news, 0, 24, 0), 7);
    assert_int_equal(keel_news_choose(&news, 0, 26, 0), KEEL_NEWS_NOBODY); /* its last one runs */
}

/* However many others have something: older news of the rank comes from those who do not know. */
TEST(that_nothing_waits_is_not_forgotten)
{
    struct keel_news news = {0};

    note(&news, item(7, 0, 0, 0), 10);
    for (uint32_t rank = 100; rank < 100 + KEEL_NEWS_MAX; rank++) {
        note(&news, item(rank, 40, 5, 0), 10);
    }
    note(&news, item(7, 90, 50, 3), 11); /* of 8 */
    assert_int_not_equal(keel_news_choose(&news, 0, 11, 0), 7);
    note(&news, item(7, 90, 50, 0), 11);
    assert_int_equal(keel_news_choose(&news, 0, 11, 0), 7);
}

/* Two that have a quarter of a second left each. */
TEST(draws_are_parts_of_what_is_left)
{
    struct keel_news news = {0};

    note(&news, item(7, 0.25, 0.125, 0), 0);
    note(&news, item(8, 0.25, 0.125, 0), 0);
    assert_int_equal(keel_news_choose(&news, 0, 0, UINT64_C(3) << 61), 7); /* 3/8 */
    assert_int_equal(keel_news_choose(&news, 0, 0, UINT64_C(5) << 61), 8);
}

TEST(the_latest_at_which_nothing_waits_are_kept_and_told)
{
    struct keel_news news = {0};
    struct keel_news_item told[KEEL_NEWS_TOLD];

    for (uint32_t rank = 0; rank < 2 * KEEL_NEWS_EMPTY; rank++) {
        note(&news, item(rank, 2, 0, 0), rank); /* its last one runs */
    }
    note(&news, item(500, 0, 0, 190), 200); /* of 10: others are later */
    assert_int_equal(keel_news_tell(&news, 200, told), KEEL_NEWS_TOLD_EMPTY);
    for (uint32_t i = 0; i < KEEL_NEWS_TOLD_EMPTY; i++) {
        assert_int_equal(told[i].rank, 2 * KEEL_NEWS_EMPTY - 1 - i);
        assert_true(told[i].one_s == 0 && told[i].left_s == 2 && told[i].age_s > 0);
    }
    note(&news, item(KEEL_NEWS_EMPTY, 900, 5, 200), 200); /* of 0: known to be empty since */
    assert_int_equal(keel_news_choose(&news, 0, 200, 0), KEEL_NEWS_NOBODY);
}

TEST(who_gave_nothing_is_asked_again_in_the_next_round_only)
{
    struct keel_news news = {0};

    note(&news, item(7, 100, 5, 0), 0);
    keel_news_refuse(&news, 7);
    note(&news, item(7, 90, 5, 0), 1); /* of another rank */
    assert_int_equal(keel_news_choose(&news, 0, 1, 0), KEEL_NEWS_NOBODY);
    keel_news_forgive(&news);
    assert_int_equal(keel_news_choose(&news, 0, 1, 0), 7);
}

/* Of many ranks, whatever the order in which they are told of. */
TEST(the_fullest_are_kept_and_told)
{
    struct draws draws = draws_begin();
    struct keel_news news = {0};
    struct keel_news_item told[KEEL_NEWS_TOLD];

    uint32_t first = (uint32_t)(draws_next(&draws) % 101);
    for (uint32_t i = 0; i < 101; i++) {
        uint32_t rank = (first + i * 37) % 101;
        note(&news, item(rank, 1 + (float)rank, 1, 0), 0);
    }
    assert_int_equal(news.count, KEEL_NEWS_MAX);
    assert_int_equal(keel_news_tell(&news, 0, told), KEEL_NEWS_TOLD_MOST);
    for (uint32_t i = 0; i < KEEL_NEWS_TOLD_MOST; i++) {
        assert_int_equal(told[i].rank, 100 - i);
        assert_true(told[i].left_s == 101 - (float)i);
    }
}

TEST(ranks_that_are_known_to_have_nothing)
{
    struct keel_news news = {0};

    assert_false(keel_news_is_empty(&news, 7, 10, 5)); /* nothing is known */
    note(&news, item(7, 20, 0, 0), 10);                /* it computes its last one until 30 */
    note(&news, item(8, 20, 4, 0), 10);
    assert_true(keel_news_is_empty(&news, 7, 29, 5));
    assert_false(keel_news_is_empty(&news, 7, 30, 5));
    assert_true(keel_news_is_empty(&news, 7, 34, 25));
    assert_false(keel_news_is_empty(&news, 8, 11, 5));
    note(&news, item(7, 20, 4, 0), 12); /* it has got one */
    assert_false(keel_news_is_empty(&news, 7, 13, 5));
}

/* --- ranks that end first, by the latest that is known of each --- */

#define SELF 1000000
#define NONE 1000001

static void note_end(struct keel_helpers *helpers, uint32_t rank, float left_s, float age_s,
                     double now_s)
{
    const struct keel_news_item item = {.rank = rank, .left_s = left_s, .age_s = age_s};

    keel_helpers_note(helpers, &item, SELF, now_s);
}

TEST(the_one_that_is_done_first_is_told)
{
    struct keel_helpers helpers = {0};

    assert_int_equal(keel_helpers_first(&helpers, 1000), KEEL_NEWS_NOBODY);
    note_end(&helpers, 7, 5, 0, 10);
    note_end(&helpers, 8, 5, 3, 10);
    note_end(&helpers, 9, 6, 0, 10);
    assert_int_equal(keel_helpers_first(&helpers, 11), KEEL_NEWS_NOBODY);
    assert_int_equal(keel_helpers_first(&helpers, 12), 8);
    assert_int_equal(keel_helpers_first(&helpers, 100), 8);
}

/* What is known of it is no more so, though others are done before it. */
TEST(who_has_got_more_is_no_helper_any_more)
{
    struct keel_helpers helpers = {0};

    for (uint32_t rank = 0; rank < KEEL_HELPERS_MAX; rank++) {
        note_end(&helpers, rank, 1, 0, 0);
    }
    note_end(&helpers, 7, 100, 0, 1);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 50), KEEL_HELPERS_MAX - 1);
    note_end(&helpers, 500, 1, 0, 1); /* for it */
    assert_int_equal(keel_helpers_count(&helpers, NONE, 50), KEEL_HELPERS_MAX);
}
