/* Whom a dry worker asks: by hand, and with random answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/balance/victim.h"
#include "tests/schedules/loop/draws.h"

#define assert_step(seek, wanted_act, wanted_worker)       \
    do {                                                   \
        struct keel_seek_step step = keel_seek_next(seek); \
        assert_int_equal(step.act, wanted_act);            \
        assert_int_equal(step.worker, wanted_worker);      \
    } while (0)

#define assert_act(seek, wanted) assert_int_equal(keel_seek_next(seek).act, wanted)

static const struct keel_tree_links three_links = {3, {{4, 0, true}, {2, 1, true}, {9, 2, false}}};

static void alone_there_is_nobody_to_ask(void **state)
{
    static const struct keel_tree_links none = {0};

    (void)state;
    for (enum keel_seek_kind kind = KEEL_SEEK_TREE; kind <= KEEL_SEEK_DIFFUSE; kind++) {
        struct keel_seek seek;
        keel_seek_begin(&seek, kind, 1, 0, &none, 4, 1);
        assert_act(&seek, KEEL_SEEK_WAIT);
        keel_seek_told(&seek, 0, 5, 5);
        keel_seek_again(&seek);
        assert_act(&seek, KEEL_SEEK_WAIT);
    }
}

/* --- tree --- */

static void links_are_asked_from_the_lowest(void **state)
{
    struct keel_seek seek;

    (void)state;
    keel_seek_begin(&seek, KEEL_SEEK_TREE, 10, 1, &three_links, 0, 1);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            assert_step(&seek, KEEL_SEEK_ASK, three_links.link[i].partner);
            assert_act(&seek, KEEL_SEEK_PENDING);
            keel_seek_told(&seek, three_links.link[i].partner, 0, 7);
        }
        assert_act(&seek, KEEL_SEEK_WAIT);
        assert_act(&seek, KEEL_SEEK_WAIT);
        keel_seek_again(&seek);
    }
}

static void the_round_after_iterations_goes_on_with_the_next_link(void **state)
{
    static const uint32_t next[] = {2, 9, 4};
    struct keel_seek seek;

    (void)state;
    keel_seek_begin(&seek, KEEL_SEEK_TREE, 10, 1, &three_links, 0, 1);
    assert_step(&seek, KEEL_SEEK_ASK, 4);
    keel_seek_told(&seek, 4, 10, 10);
    for (uint32_t i = 0; i < 3; i++) {
        assert_step(&seek, KEEL_SEEK_ASK, next[i]);
        keel_seek_told(&seek, next[i], 0, 0);
    }
    assert_act(&seek, KEEL_SEEK_WAIT);
}

static void another_round_still_waits_for_the_answer(void **state)
{
    struct keel_seek seek;

    (void)state;
    keel_seek_begin(&seek, KEEL_SEEK_TREE, 10, 1, &three_links, 0, 1);
    assert_step(&seek, KEEL_SEEK_ASK, 4);
    keel_seek_again(&seek);
    assert_act(&seek, KEEL_SEEK_PENDING);
    keel_seek_told(&seek, 2, 3, 3); /* was not asked */
    assert_act(&seek, KEEL_SEEK_PENDING);
    keel_seek_told(&seek, 4, 0, 0);
    assert_step(&seek, KEEL_SEEK_ASK, 2);
}

/* --- steal --- */

static void who_gave_is_asked_first(void **state)
{
    struct keel_seek seek;

    (void)state;
    keel_seek_begin(&seek, KEEL_SEEK_STEAL, 1000, 17, NULL, 0, 3);
    uint32_t giver = keel_seek_next(&seek).worker;
    keel_seek_told(&seek, giver, 1, 0);
    assert_step(&seek, KEEL_SEEK_ASK, giver);
    keel_seek_told(&seek, giver, 1, 0);
    assert_step(&seek, KEEL_SEEK_ASK, giver);
    keel_seek_told(&seek, giver, 0, 0);
    keel_seek_again(&seek);
    assert_true(keel_seek_next(&seek).worker != giver); /* of a thousand, with this seed */
}

/* min(P - 1, 2 ceil(log2 P) + 2), by hand */
static void a_round_asks_different_victims(void **state)
{
    static const uint32_t sizes[][2] = {{2, 1},   {3, 2},   {5, 4},     {7, 6},
                                        {8, 7},   {9, 8},   {10, 9},    {12, 10},
                                        {16, 10}, {17, 12}, {1024, 22}, {1000000, 42}};
    struct draws draws = draws_begin();

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct keel_seek seek;
        uint32_t victim[64];
        uint32_t worker = (uint32_t)draws_below(&draws, sizes[i][0]);
        keel_seek_begin(&seek, KEEL_SEEK_STEAL, sizes[i][0], worker, NULL, 0, draws_next(&draws));
        for (int round = 0; round < 20; round++) {
            for (uint32_t n = 0; n < sizes[i][1]; n++) {
                struct keel_seek_step step = keel_seek_next(&seek);
                assert_int_equal(step.act, KEEL_SEEK_ASK);
                for (uint32_t m = 0; m < n; m++) {
                    assert_true(victim[m] != step.worker);
                }
                victim[n] = step.worker;
                keel_seek_told(&seek, step.worker, 0, 0);
            }
            assert_act(&seek, KEEL_SEEK_WAIT);
            keel_seek_again(&seek);
            if (round % 2 == 0) { /* the next round begins with a giver */
                uint32_t giver = keel_seek_next(&seek).worker;
                keel_seek_told(&seek, giver, 1, 1);
            }
        }
    }
}

static void workers_draw_different_victims(void **state)
{
    enum { WORKERS = 1000, ROUND = 22 };
    uint32_t asked[WORKERS] = {0}, most = 0;

    (void)state;
    for (uint32_t w = 0; w < WORKERS; w++) {
        struct keel_seek seek;
        keel_seek_begin(&seek, KEEL_SEEK_STEAL, WORKERS, w, NULL, 0, 42);
        for (int i = 0; i < ROUND; i++) {
            uint32_t victim = keel_seek_next(&seek).worker;
            asked[victim]++;
            keel_seek_told(&seek, victim, 0, 0);
        }
    }
    for (uint32_t w = 0; w < WORKERS; w++) {
        most = asked[w] > most ? asked[w] : most;
        assert_true(asked[w] > 0);
    }
    assert_true(most < 3 * ROUND);
}

/* --- diffuse --- */

static void the_fullest_neighbour_is_asked(void **state)
{
    struct keel_seek seek;

    (void)state;
    keel_seek_begin(&seek, KEEL_SEEK_DIFFUSE, 8, 0, NULL, 4, 1);
    assert_step(&seek, KEEL_SEEK_LOOK, 1);
    assert_step(&seek, KEEL_SEEK_LOOK, 7);
    assert_step(&seek, KEEL_SEEK_LOOK, 2);
    assert_step(&seek, KEEL_SEEK_LOOK, 6);
    assert_act(&seek, KEEL_SEEK_PENDING);
    keel_seek_told(&seek, 2, 0, 5);
    keel_seek_told(&seek, 2, 0, 50); /* one answer each */
    keel_seek_told(&seek, 3, 0, 99); /* was not asked */
    keel_seek_told(&seek, 1, 0, 0);
    keel_seek_told(&seek, 6, 0, 9);
    assert_act(&seek, KEEL_SEEK_PENDING);
    keel_seek_told(&seek, 7, 0, 3);
    assert_step(&seek, KEEL_SEEK_ASK, 6);
    assert_act(&seek, KEEL_SEEK_PENDING);
    keel_seek_told(&seek, 6, 0, 9); /* keeps what it has */
    assert_step(&seek, KEEL_SEEK_ASK, 2);
    keel_seek_told(&seek, 2, 0, 0);
    assert_step(&seek, KEEL_SEEK_ASK, 7);
    keel_seek_told(&seek, 7, 0, 0);
    assert_step(&seek, KEEL_SEEK_LOOK, 3); /* the next neighbourhood: nobody has any */
    assert_step(&seek, KEEL_SEEK_LOOK, 5);
    assert_step(&seek, KEEL_SEEK_LOOK, 4);
    assert_act(&seek, KEEL_SEEK_PENDING);
    keel_seek_told(&seek, 4, 0, 0);
    keel_seek_told(&seek, 3, 0, 0);
    keel_seek_told(&seek, 5, 0, 0);
    assert_act(&seek, KEEL_SEEK_WAIT);
    keel_seek_again(&seek);
    assert_step(&seek, KEEL_SEEK_LOOK, 1);
}

static void after_iterations_the_next_neighbourhood_is_looked_at(void **state)
{
    struct keel_seek seek;

    (void)state;
    keel_seek_begin(&seek, KEEL_SEEK_DIFFUSE, 100, 99, NULL, 1, 1);
    assert_step(&seek, KEEL_SEEK_LOOK, 0);
    keel_seek_told(&seek, 0, 0, 4);
    assert_step(&seek, KEEL_SEEK_ASK, 0);
    keel_seek_told(&seek, 0, 4, 0);
    for (int round = 0; round < 2; round++) { /* of 4 neighbourhoods */
        for (uint32_t i = 0; i < 4; i++) {
            struct keel_seek_step step = keel_seek_next(&seek);
            assert_int_equal(step.act, KEEL_SEEK_LOOK);
            assert_int_equal(step.worker, (round * 4 + i) % 2 == 0 ? 98 - (round * 4 + i) / 2
                                                                   : 1 + (round * 4 + i) / 2);
            keel_seek_told(&seek, step.worker, 0, 0);
        }
        assert_act(&seek, KEEL_SEEK_WAIT);
        keel_seek_again(&seek);
    }
}

static void another_round_forgets_what_was_seen(void **state)
{
    struct keel_seek seek;

    (void)state;
    keel_seek_begin(&seek, KEEL_SEEK_DIFFUSE, 100, 0, NULL, 2, 1);
    assert_step(&seek, KEEL_SEEK_LOOK, 1);
    keel_seek_told(&seek, 1, 0, 8);
    keel_seek_again(&seek); /* the neighbourhood is looked at to its end */
    assert_step(&seek, KEEL_SEEK_LOOK, 99);
    keel_seek_again(&seek);
    assert_act(&seek, KEEL_SEEK_PENDING);
    keel_seek_told(&seek, 99, 0, 9);
    keel_seek_again(&seek);
    assert_step(&seek, KEEL_SEEK_LOOK, 2);
    keel_seek_again(&seek);
    for (uint32_t worker = 98;; worker = worker > 50 ? 101 - worker : 100 - worker) {
        assert_step(&seek, KEEL_SEEK_LOOK, worker);
        keel_seek_told(&seek, 100 - worker, 0, 0); /* the one before, or nobody */
        keel_seek_told(&seek, worker, 0, 0);
        if (worker == 95) {
            break;
        }
    }
    assert_act(&seek, KEEL_SEEK_WAIT); /* four neighbourhoods, the first of which went on */
}

/* --- with random answers --- */

#define WORKERS_MAX 200

struct play {
    struct keel_seek seek;
    struct keel_tree_links links;
    bool pending[WORKERS_MAX], asking[WORKERS_MAX], reached[WORKERS_MAX];
    uint32_t on_the_way;
};

static void answer(struct play *play, struct draws *draws, uint32_t giving)
{
    uint32_t worker = (uint32_t)draws_below(draws, play->seek.workers);

    while (!play->pending[worker]) {
        worker = (worker + 1) % play->seek.workers;
    }
    uint64_t got = play->asking[worker] && draws_below(draws, 100) < giving;
    play->pending[worker] = play->asking[worker] = false;
    play->on_the_way--;
    keel_seek_told(&play->seek, worker, got, draws_below(draws, 3));
}

/* The next step, which must not be one that is on its way. */
static enum keel_seek_act take_step(struct play *play)
{
    struct keel_seek_step step = keel_seek_next(&play->seek);

    if (step.act == KEEL_SEEK_ASK || step.act == KEEL_SEEK_LOOK) {
        assert_true(step.worker < play->seek.workers && step.worker != play->seek.worker);
        assert_false(play->pending[step.worker]);
        play->pending[step.worker] = play->reached[step.worker] = true;
        play->asking[step.worker] = step.act == KEEL_SEEK_ASK;
        play->on_the_way++;
    } else {
        assert_true((step.act == KEEL_SEEK_PENDING) == (play->on_the_way > 0));
    }
    return step.act;
}

static void disturb(struct play *play, struct draws *draws)
{
    uint32_t worker = (uint32_t)draws_below(draws, play->seek.workers);

    if (draws_below(draws, 10) == 0 && !play->pending[worker]) {
        keel_seek_told(&play->seek, worker, draws_below(draws, 2), 1); /* a late one */
    }
    if (draws_below(draws, 20) == 0) {
        keel_seek_again(&play->seek);
    }
}

static void begin_play(struct play *play, struct draws *draws, enum keel_seek_kind kind)
{
    uint32_t workers = 1 + (uint32_t)draws_below(draws, WORKERS_MAX);
    uint32_t worker = (uint32_t)draws_below(draws, workers);

    memset(play, 0, sizeof *play);
    assert_true(keel_cluster_tree_links(workers, NULL, worker, realloc, &play->links));
    keel_seek_begin(&play->seek, kind, workers, worker, &play->links,
                    1 + (uint32_t)draws_below(draws, KEEL_SEEK_NEIGHBOURS_MAX), draws_next(draws));
}

/* Asks nobody gives anything to, from now to the round's end; none may be left over. */
static void check_end_of_round(struct play *play, struct draws *draws)
{
    uint32_t steps = 0;
    enum keel_seek_act act;

    while ((act = take_step(play)) != KEEL_SEEK_WAIT) {
        if (act == KEEL_SEEK_PENDING) {
            answer(play, draws, 0);
        }
        assert_true(++steps <= 3 * (64 + 64 + KEEL_TREE_LEVELS_MAX));
    }
    assert_int_equal(play->on_the_way, 0);
}

static void check_all_reached(const struct play *play)
{
    if (play->seek.kind == KEEL_SEEK_TREE) {
        for (uint32_t i = 0; i < play->links.count; i++) {
            assert_true(play->reached[play->links.link[i].partner]);
        }
        return;
    }
    for (uint32_t w = 0; w < play->seek.workers; w++) {
        assert_true(play->reached[w] == (w != play->seek.worker));
    }
}

static void everybody_is_reached_by_and_by_and_rounds_end(void **state)
{
    struct draws draws = draws_begin();
    struct play play;

    (void)state;
    for (int times = 0; times < 150; times++) {
        begin_play(&play, &draws, times % 3);
        uint32_t giving = (uint32_t)draws_below(&draws, 100);
        for (int step = 0; step < 2000; step++) {
            if (take_step(&play) == KEEL_SEEK_WAIT) {
                keel_seek_again(&play.seek);
            } else if (play.on_the_way > 0 && draws_below(&draws, 3) == 0) {
                answer(&play, &draws, giving);
            }
            disturb(&play, &draws);
        }
        for (int round = 0; round < 400; round++) {
            check_end_of_round(&play, &draws);
            keel_seek_again(&play.seek);
        }
        check_all_reached(&play);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_there_is_nobody_to_ask),
        cmocka_unit_test(links_are_asked_from_the_lowest),
        cmocka_unit_test(the_round_after_iterations_goes_on_with_the_next_link),
        cmocka_unit_test(another_round_still_waits_for_the_answer),
        cmocka_unit_test(who_gave_is_asked_first),
        cmocka_unit_test(a_round_asks_different_victims),
        cmocka_unit_test(workers_draw_different_victims),
        cmocka_unit_test(the_fullest_neighbour_is_asked),
        cmocka_unit_test(after_iterations_the_next_neighbourhood_is_looked_at),
        cmocka_unit_test(another_round_forgets_what_was_seen),
        cmocka_unit_test(everybody_is_reached_by_and_by_and_rounds_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
