/* The directory: messages find an object that moves, whatever of what is told about it is late. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/objects/delivery.h"
#include "tests/support/draws.h"

#define RANKS 7
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

struct world {
    struct draws draws;
    uint32_t ranks, home, owner, epoch, moves;
    bool made, deleted;
    struct keel_location known[RANKS];
    struct letter letter[PENDING];
    uint32_t letters, delivered, returned;
};

static void note(struct world *world, uint32_t rank, struct keel_location news)
{
    if (keel_location_is_news(world->known[rank], news)) {
        world->known[rank] = news;
    }
}

static void post(struct world *world, struct letter letter)
{
    assert_true(world->letters < PENDING);
    world->letter[world->letters++] = letter;
}

/* The object goes on; the rank that gives it away knows at once, if it has memory for it. */
static void move(struct world *world)
{
    uint32_t to = (uint32_t)draws_below(&world->draws, world->ranks);

    if (to == world->owner || world->letters > PENDING / 2) {
        return;
    }
    world->moves++;
    world->epoch++;
    if (world->owner == world->home || draws_below(&world->draws, 4) > 0) {
        note(world, world->owner, (struct keel_location){to, world->epoch});
    }
    world->owner = to;
    post(world, (struct letter){NEWS, world->home, {to, world->epoch}, 0, 0, false});
}

static void arrive(struct world *world, struct letter letter)
{
    if (letter.kind == NEWS) {
        note(world, letter.to, letter.news);
        for (uint32_t i = 0; i < world->letters; i++) {
            world->letter[i].held = false; /* what was held tries again */
        }
        return;
    }
    if (world->made && !world->deleted && letter.to == world->owner) {
        world->delivered++;
        return;
    }
    struct keel_directory_step step =
        keel_directory_next(letter.to, world->home, world->known[letter.to], letter.epoch);
    switch (step.action) {
    case KEEL_DIRECTORY_SEND:
        assert_int_not_equal(step.rank, letter.to);
        assert_true(++letter.hops <= 2 * (world->moves + 2));
        letter.to = step.rank;
        letter.epoch = step.epoch;
        post(world, letter);
        break;
    case KEEL_DIRECTORY_HOLD:
        assert_int_equal(letter.to, world->home);
        letter.held = true;
        post(world, letter);
        break;
    case KEEL_DIRECTORY_RETURN:
        assert_true(world->deleted);
        world->returned++;
        break;
    }
}

/* Any letter arrives that is not held; false: there is none. */
static bool deliver(struct world *world)
{
    uint32_t first = world->letters > 0 ? (uint32_t)draws_below(&world->draws, world->letters) : 0;

    for (uint32_t i = 0; i < world->letters; i++) {
        uint32_t at = (first + i) % world->letters;
        struct letter letter = world->letter[at];
        if (!letter.held) {
            world->letter[at] = world->letter[--world->letters];
            arrive(world, letter);
            return true;
        }
    }
    return false;
}

static void make(struct world *world)
{
    world->made = true;
    world->epoch = 1;
    world->owner = (uint32_t)draws_below(&world->draws, world->ranks);
    post(world, (struct letter){NEWS, world->home, {world->owner, 1}, 0, 0, false});
}

static void delete_object(struct world *world)
{
    struct keel_location news = {KEEL_LOCATION_DELETED, world->epoch};

    world->deleted = true;
    note(world, world->owner, news);
    post(world, (struct letter){NEWS, world->home, news, 0, 0, false});
}

static uint32_t run(struct world *world, bool deletes)
{
    uint32_t messages = 0;

    for (int i = 0; i < 60; i++) {
        uint32_t from = (uint32_t)draws_below(&world->draws, world->ranks);
        switch (draws_below(&world->draws, 4)) {
        case 0:
            if (world->letters < PENDING / 2) {
                messages++;
                arrive(world, (struct letter){MESSAGE, from, {0, 0}, 0, 0, false});
            }
            break;
        case 1:
            if (!world->made) {
                make(world);
            } else if (!world->deleted) {
                move(world);
            }
            break;
        default:
            deliver(world);
        }
    }
    if (!world->made) {
        make(world);
    }
    if (deletes && !world->deleted) {
        delete_object(world);
    }
    while (deliver(world)) {
    }
    return messages;
}

static void messages_find_an_object_that_moves(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct world world = {.draws = {draws_next(&draws)}};
        world.ranks = 1 + (uint32_t)draws_below(&world.draws, RANKS);
        world.home = keel_directory_home(draws_next(&world.draws), world.ranks);
        uint32_t messages = run(&world, i % 3 == 0);
        assert_int_equal(world.letters, 0); /* none is held for ever */
        assert_int_equal(world.delivered + world.returned, messages);
        assert_true(world.deleted || world.returned == 0);
    }
}

static void home_ranks_have_like_many_objects(void **state)
{
    uint64_t count[RANKS] = {0};

    (void)state;
    for (uint64_t index = 0; index < 70000; index++) {
        uint32_t home = keel_directory_home(index, RANKS);
        assert_true(home < RANKS);
        count[home]++;
    }
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_true(count[i] > 9500 && count[i] < 10500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_find_an_object_that_moves),
        cmocka_unit_test(home_ranks_have_like_many_objects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
