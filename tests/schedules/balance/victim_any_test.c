/* Whom a dry worker asks, with random answers: nobody is asked twice at once, rounds end, and
 * everybody is reached by and by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/balance/victim.h"
#include "tests/support/draws.h"

#define WORKERS_MAX 200

struct play {
    struct keel_victim_search search;
    struct keel_tree_links links;
    bool pending[WORKERS_MAX], asking[WORKERS_MAX], reached[WORKERS_MAX];
    uint32_t on_the_way;
};

static void answer(struct play *play, struct draws *draws, uint32_t giving)
{
    uint32_t worker = (uint32_t)draws_below(draws, play->search.workers);

    while (!play->pending[worker]) {
        worker = (worker + 1) % play->search.workers;
    }
    uint64_t got = play->asking[worker] && draws_below(draws, 100) < giving;
    play->pending[worker] = play->asking[worker] = false;
    play->on_the_way--;
    keel_victim_answered(&play->search, worker, got, draws_below(draws, 3), false);
}

/* The next step, which must not be one that is on its way. */
static enum keel_victim_action take_step(struct play *play)
{
    struct keel_victim_step step = keel_victim_next(&play->search);

    if (step.action == KEEL_VICTIM_ASK || step.action == KEEL_VICTIM_LOOK) {
        assert_true(step.worker < play->search.workers && step.worker != play->search.worker);
        assert_false(play->pending[step.worker]);
        play->pending[step.worker] = play->reached[step.worker] = true;
        play->asking[step.worker] = step.action == KEEL_VICTIM_ASK;
        play->on_the_way++;
    } else {
        assert_true((step.action == KEEL_VICTIM_PENDING) == (play->on_the_way > 0));
    }
    return step.action;
}

static void disturb(struct play *play, struct draws *draws)
{
    uint32_t worker = (uint32_t)draws_below(draws, play->search.workers);

    if (draws_below(draws, 10) == 0 && !play->pending[worker]) {
        keel_victim_answered(&play->search, worker, draws_below(draws, 2), 1,
                             false); /* a late one */
    }
    if (draws_below(draws, 20) == 0) {
        keel_victim_new_round(&play->search);
    }
}

static void begin_play(struct play *play, struct draws *draws, enum keel_victim_kind kind)
{
    uint32_t workers = 1 + (uint32_t)draws_below(draws, WORKERS_MAX);
    uint32_t worker = (uint32_t)draws_below(draws, workers);

    memset(play, 0, sizeof *play);
    assert_true(keel_cluster_tree_links(workers, NULL, worker, realloc, &play->links));
    keel_victim_begin(&play->search, kind, workers, worker, &play->links,
                      1 + (uint32_t)draws_below(draws, KEEL_VICTIM_NEIGHBOURS_MAX),
                      draws_next(draws));
    if (draws_below(draws, 2) == 0) {
        keel_victim_use_lifelines(&play->search);
    }
}

/* Asks nobody gives anything to, from now to the round's end; none may be left over. */
static void check_end_of_round(struct play *play, struct draws *draws)
{
    uint32_t steps = 0;
    enum keel_victim_action action;

    while ((action = take_step(play)) != KEEL_VICTIM_WAIT) {
        if (action == KEEL_VICTIM_PENDING) {
            answer(play, draws, 0);
        }
        assert_true(++steps <= 3 * (64 + 64 + KEEL_TREE_LEVELS_MAX));
    }
    assert_int_equal(play->on_the_way, 0);
}

static void check_all_reached(const struct play *play)
{
    if (play->search.kind == KEEL_VICTIM_TREE) {
        for (uint32_t i = 0; i < play->links.count; i++) {
            assert_true(play->reached[play->links.link[i].partner]);
        }
        return;
    }
    for (uint32_t w = 0; w < play->search.workers; w++) {
        assert_true(play->reached[w] == (w != play->search.worker));
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
            if (take_step(&play) == KEEL_VICTIM_WAIT) {
                keel_victim_new_round(&play.search);
            } else if (play.on_the_way > 0 && draws_below(&draws, 3) == 0) {
                answer(&play, &draws, giving);
            }
            disturb(&play, &draws);
        }
        for (int round = 0; round < 2000; round++) {
            check_end_of_round(&play, &draws);
            keel_victim_new_round(&play.search);
        }
        check_all_reached(&play);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_is_reached_by_and_by_and_rounds_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
