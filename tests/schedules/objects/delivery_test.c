/* What ranks send each other: messages about objects, and what each knows of the others. */
#include <stdlib.h>
#include <string.h>

#include "schedules/objects/news.h"
#include "schedules/objects/object_route.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- messages about objects: the directory, their order, and how the end of a phase is found
 * --- */

/* --- the directory: messages find an object that moves, however late they are --- */

#define PLACES 7
#define PENDING 64

enum kind { MESSAGE, NEWS };

/* On the way: a message to the object, or news for its home rank. */
struct letter {
    enum kind kind;
    uint32_t to;
    struct keel_location news;
    uint32_t epoch, hops;
    bool held;
};

struct places {
    struct draws draws;
    uint32_t ranks, home, owner, epoch, moves;
    bool made, deleted;
    struct keel_location known[PLACES];
    struct letter letter[PENDING];
    uint32_t letters, delivered, returned;
};

static void note_home(struct places *places, uint32_t rank, struct keel_location news)
{
    if (keel_location_is_news(places->known[rank], news)) {
        places->known[rank] = news;
    }
}

static void post(struct places *places, struct letter letter)
{
    assert_true(places->letters < PENDING);
    places->letter[places->letters++] = letter;
}

/* The object goes on; the rank that gives it away knows at once, if it has memory for it. */
static void move(struct places *places)
{
    uint32_t to = (uint32_t)draws_below(&places->draws, places->ranks);

    if (to == places->owner || places->letters > PENDING / 2) {
        return;
    }
    places->moves++;
    places->epoch++;
    if (places->owner == places->home || draws_below(&places->draws, 4) > 0) {
        note_home(places, places->owner, (struct keel_location){to, places->epoch});
    }
    places->owner = to;
    post(places, (struct letter){NEWS, places->home, {to, places->epoch}, 0, 0, false});
}

static void arrive(struct places *places, struct letter letter)
{
    if (letter.kind == NEWS) {
        note_home(places, letter.to, letter.news);
        for (uint32_t i = 0; i < places->letters; i++) {
            places->letter[i].held = false; /* what was held tries again */
        }
        return;
    }
    if (places->made && !places->deleted && letter.to == places->owner) {
        places->delivered++;
        return;
    }
    struct keel_directory_step step =
        keel_directory_next(letter.to, places->home, places->known[letter.to], letter.epoch);
    switch (step.action) {
    case KEEL_DIRECTORY_SEND:
        assert_int_not_equal(step.rank, letter.to);
        assert_true(++letter.hops <= 2 * (places->moves + 2));
        letter.to = step.rank;
        letter.epoch = step.epoch;
        post(places, letter);
        break;
    case KEEL_DIRECTORY_HOLD:
        assert_int_equal(letter.to, places->home);
        letter.held = true;
        post(places, letter);
        break;
    case KEEL_DIRECTORY_RETURN:
        assert_true(places->deleted);
        places->returned++;
        break;
    }
}

/* Any letter arrives that is not held; false: there is none. */
static bool deliver(struct places *places)
{
    uint32_t first =
        places->letters > 0 ? (uint32_t)draws_below(&places->draws, places->letters) : 0;

    for (uint32_t i = 0; i < places->letters; i++) {
        uint32_t at = (first + i) % places->letters;
        struct letter letter = places->letter[at];
        if (!letter.held) {
            places->letter[at] = places->letter[--places->letters];
            arrive(places, letter);
            return true;
        }
    }
    return false;
}

static void make(struct places *places)
{
    places->made = true;
    places->epoch = 1;
    places->owner = (uint32_t)draws_below(&places->draws, places->ranks);
    post(places, (struct letter){NEWS, places->home, {places->owner, 1}, 0, 0, false});
}

static void delete_object(struct places *places)
{
    struct keel_location news = {KEEL_LOCATION_DELETED, places->epoch};

    places->deleted = true;
    note_home(places, places->owner, news);
    post(places, (struct letter){NEWS, places->home, news, 0, 0, false});
}

static uint32_t run(struct places *places, bool deletes)
{
    uint32_t messages = 0;

    for (int i = 0; i < 60; i++) {
        uint32_t from = (uint32_t)draws_below(&places->draws, places->ranks);
        switch (draws_below(&places->draws, 4)) {
        case 0:
            if (places->letters < PENDING / 2) {
                messages++;
                arrive(places, (struct letter){MESSAGE, from, {0, 0}, 0, 0, false});
            }
            break;
        case 1:
            if (!places->made) {
                make(places);
            } else if (!places->deleted) {
                move(places);
            }
            break;
        default:
            deliver(places);
        }
    }
    if (!places->made) {
        make(places);
    }
    if (deletes && !places->deleted) {
        delete_object(places);
    }
    while (deliver(places)) {
    }
    return messages;
}

TEST(messages_find_an_object_that_moves)
{
    struct draws draws = draws_begin();

    for (int i = 0; i < 20000; i++) {
        struct places places = {.draws = {draws_next(&draws)}};
        places.ranks = 1 + (uint32_t)draws_below(&places.draws, PLACES);
        places.home = keel_directory_home(draws_next(&places.draws), places.ranks);
        uint32_t messages = run(&places, i % 3 == 0);
        assert_int_equal(places.letters, 0); /* none is held for ever */
        assert_int_equal(places.delivered + places.returned, messages);
        assert_true(places.deleted || places.returned == 0);
    }
}

/* --- each sender's messages come in the order of their numbers --- */

#define SENDERS 20
#define MESSAGES 30

TEST(messages_of_each_sender_come_in_order)
{
    struct draws draws = draws_begin();

    for (int i = 0; i < 300; i++) {
        struct keel_order order = {0};
        bool came[SENDERS][MESSAGES] = {{false}};
        uint32_t next[SENDERS] = {0}, senders = 1 + (uint32_t)draws_below(&draws, SENDERS);
        uint32_t left = senders * MESSAGES;
        while (left > 0) { /* one arrives that has not come yet; it is due or tries again */
            uint32_t sender = (uint32_t)draws_below(&draws, senders);
            uint32_t number = (uint32_t)draws_below(&draws, MESSAGES);
            bool due = keel_order_is_due(&order, sender * 7919, number);
            assert_int_equal(due, number == next[sender]);
            if (due && !came[sender][number]) {
                came[sender][number] = true;
                next[sender]++;
                left--;
                assert_true(keel_order_advance(&order, sender * 7919, realloc));
            }
        }
        assert_int_equal(order.count, senders);
        for (uint32_t j = 1; j < order.count; j++) {
            assert_true(order.entry[j - 1].sender < order.entry[j].sender);
        }
        free(order.entry);
    }
}

TEST(without_memory_nothing_changes)
{
    struct keel_order order = {0};

    assert_false(keel_order_advance(&order, 3, no_memory));
    assert_int_equal(order.count, 0);
    assert_true(keel_order_is_due(&order, 3, 0));
    assert_true(keel_order_advance(&order, 3, realloc));
    assert_true(keel_order_advance(&order, 3, no_memory)); /* it is known */
    assert_true(keel_order_is_due(&order, 3, 2));
    free(order.entry);
}

/* --- the end of a phase is found once all is done, and never before --- */

#define RANKS 6

/* Ranks that work at random, and messages that take any time. */
struct world {
    struct draws draws;
    uint32_t ranks;
    struct keel_termination rank[RANKS];
    bool active[RANKS], contributed[RANKS];
    uint64_t sum[KEEL_TERMINATION_WORDS];
    uint32_t contributions;
    uint64_t on_the_way; /* messages */
    uint64_t left;       /* messages that may still be sent */
    uint64_t held;
};

static void send(struct world *world, uint32_t from)
{
    if (world->left > 0) {
        world->left--;
        world->on_the_way++;
        world->rank[from].sent++;
    }
}

/* One rank does something. Returns the result of its wave, if that is the last contribution. */
static enum keel_termination_result step(struct world *world)
{
    uint32_t i = (uint32_t)draws_below(&world->draws, world->ranks);
    enum keel_termination_result result = KEEL_TERMINATION_GOES_ON;
    uint64_t word[KEEL_TERMINATION_WORDS];

    switch (draws_below(&world->draws, 4)) {
    case 0: /* a message comes */
        if (world->on_the_way > 0) {
            world->on_the_way--;
            world->rank[i].received++;
            world->active[i] = true;
        }
        break;
    case 1:
        if (world->active[i]) {
            send(world, i);
        }
        break;
    case 2:
        world->active[i] = false;
        break;
    default: /* an idle rank joins the wave */
        if (world->active[i] || world->contributed[i]) {
            break;
        }
        world->contributed[i] = true;
        keel_termination_contribute(&world->rank[i], i == 0 ? world->held : 0, word);
        for (unsigned j = 0; j < KEEL_TERMINATION_WORDS; j++) {
            world->sum[j] += word[j];
        }
        if (++world->contributions == world->ranks) {
            for (uint32_t j = 0; j < world->ranks; j++) {
                enum keel_termination_result own =
                    keel_termination_take(&world->rank[j], world->sum);
                assert_true(j == 0 || own == result);
                result = own;
            }
            memset(world->contributed, 0, sizeof world->contributed);
            memset(world->sum, 0, sizeof world->sum);
            world->contributions = 0;
        }
    }
    return result;
}

static void assert_quiet(const struct world *world)
{
    assert_int_equal(world->on_the_way, 0);
    for (uint32_t i = 0; i < world->ranks; i++) {
        assert_false(world->active[i]);
    }
}

/* A phase; what is counted goes on from the one before. */
static void run_phase(struct world *world)
{
    enum keel_termination_result result;
    unsigned steps = 0;

    world->left = draws_below(&world->draws, 40);
    world->held = draws_below(&world->draws, 3);
    for (uint32_t i = 0; i < world->ranks; i++) {
        keel_termination_begin(&world->rank[i]);
        world->active[i] = draws_below(&world->draws, 2) == 0;
    }
    do {
        while ((result = step(world)) == KEEL_TERMINATION_GOES_ON) {
            assert_true(++steps < 100000);
        }
        assert_quiet(world);
        assert_int_equal(result == KEEL_TERMINATION_HELD, world->held > 0);
        if (world->held > 0) { /* it goes back to its sender */
            world->held--;
            world->left++;
            send(world, 0);
        }
    } while (result == KEEL_TERMINATION_HELD);
}

TEST(the_end_is_found_when_all_is_done)
{
    struct draws draws = draws_begin();

    for (int i = 0; i < 5000; i++) {
        struct world world = {.draws = {draws_next(&draws)}};
        world.ranks = 1 + (uint32_t)draws_below(&world.draws, RANKS);
        for (int phase = 0; phase < 3; phase++) {
            run_phase(&world);
        }
    }
}

TEST(two_waves_are_enough)
{
    struct keel_termination alone = {.sent = 5, .received = 5};
    uint64_t word[KEEL_TERMINATION_WORDS];

    keel_termination_begin(&alone);
    keel_termination_contribute(&alone, 0, word);
    assert_int_equal(keel_termination_take(&alone, word), KEEL_TERMINATION_GOES_ON);
    assert_int_equal(keel_termination_take(&alone, word), KEEL_TERMINATION_ENDED);
}

/* --- news: what ranks know of each other: objects that wait, and which ranks are done by then
 * --- */

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

TEST(a_rank_gets_nothing_of_itself)
{
    struct keel_news news = {0};

    note(&news, item(OWN, 50, 5, 0), 1);
    assert_int_equal(keel_news_choose(&news, 0, 1, 0), KEEL_NEWS_NO_RANK);
}

TEST(what_a_rank_has_done_since_is_not_left)
{
    struct keel_news news = {0};

    note(&news, item(7, 20, 5, 0), 10);
    assert_int_equal(keel_news_choose(&news, 0, 24, 0), 7);
    assert_int_equal(keel_news_choose(&news, 0, 26, 0), KEEL_NEWS_NO_RANK); /* its last one runs */
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

TEST(the_latest_at_which_nothing_waits_are_kept_and_sent)
{
    struct keel_news news = {0};
    struct keel_news_item told[KEEL_NEWS_SENT];

    for (uint32_t rank = 0; rank < 2 * KEEL_NEWS_EMPTY; rank++) {
        note(&news, item(rank, 2, 0, 0), rank); /* its last one runs */
    }
    note(&news, item(500, 0, 0, 190), 200); /* of 10: others are later */
    assert_int_equal(keel_news_list(&news, 200, told), KEEL_NEWS_SENT_EMPTY);
    for (uint32_t i = 0; i < KEEL_NEWS_SENT_EMPTY; i++) {
        assert_int_equal(told[i].rank, 2 * KEEL_NEWS_EMPTY - 1 - i);
        assert_true(told[i].one_s == 0 && told[i].left_s == 2 && told[i].age_s > 0);
    }
    note(&news, item(KEEL_NEWS_EMPTY, 900, 5, 200), 200); /* of 0: known to be empty since */
    assert_int_equal(keel_news_choose(&news, 0, 200, 0), KEEL_NEWS_NO_RANK);
}

TEST(who_gave_nothing_is_asked_again_in_the_next_round_only)
{
    struct keel_news news = {0};

    note(&news, item(7, 100, 5, 0), 0);
    keel_news_refuse(&news, 7);
    note(&news, item(7, 90, 5, 0), 1); /* of another rank */
    assert_int_equal(keel_news_choose(&news, 0, 1, 0), KEEL_NEWS_NO_RANK);
    keel_news_forgive(&news);
    assert_int_equal(keel_news_choose(&news, 0, 1, 0), 7);
}

/* Of many ranks, whatever the order in which they are listed. */
TEST(the_fullest_are_kept_and_sent)
{
    struct draws draws = draws_begin();
    struct keel_news news = {0};
    struct keel_news_item told[KEEL_NEWS_SENT];

    uint32_t first = (uint32_t)(draws_next(&draws) % 101);
    for (uint32_t i = 0; i < 101; i++) {
        uint32_t rank = (first + i * 37) % 101;
        note(&news, item(rank, 1 + (float)rank, 1, 0), 0);
    }
    assert_int_equal(news.count, KEEL_NEWS_MAX);
    assert_int_equal(keel_news_list(&news, 0, told), KEEL_NEWS_SENT_FULL);
    for (uint32_t i = 0; i < KEEL_NEWS_SENT_FULL; i++) {
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

TEST(helpers_are_counted_by_when_they_are_done)
{
    struct keel_helpers helpers = {0};

    note_end(&helpers, 7, 5, 0, 10);
    note_end(&helpers, 8, 5, 3, 10);
    note_end(&helpers, 9, 6, 0, 10);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 11), 0);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 12), 1);
    assert_int_equal(keel_helpers_count(&helpers, 8, 12), 0);
    assert_int_equal(keel_helpers_count(&helpers, NONE, 100), 3);
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
