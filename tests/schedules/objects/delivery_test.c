/* Messages about objects: the directory, their order, and how the end of a phase is found. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/objects/object_route.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

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

static void *no_memory(void *memory, size_t size)
{
    (void)memory;
    (void)size;
    return NULL;
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

/* One rank does something. Returns what its wave has come to, if that is the last contribution. */
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
