/* The end of a phase: it is found once all is done, and never before, whatever the network does. */
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

static void the_end_is_found_when_all_is_done(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int i = 0; i < 5000; i++) {
        struct world world = {.draws = {draws_next(&draws)}};
        world.ranks = 1 + (uint32_t)draws_below(&world.draws, RANKS);
        for (int phase = 0; phase < 3; phase++) {
            run_phase(&world);
        }
    }
}

static void two_waves_are_enough(void **state)
{
    struct keel_termination alone = {.sent = 5, .received = 5};
    uint64_t word[KEEL_TERMINATION_WORDS];

    (void)state;
    keel_termination_begin(&alone);
    keel_termination_contribute(&alone, 0, word);
    assert_int_equal(keel_termination_take(&alone, word), KEEL_TERMINATION_GOES_ON);
    assert_int_equal(keel_termination_take(&alone, word), KEEL_TERMINATION_ENDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_is_found_when_all_is_done),
        cmocka_unit_test(two_waves_are_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
