/* Whom an idle worker asks: by hand, and what each asks in turn. */
#include <stddef.h>

#include "schedules/balance/victim.h"
#include "tests/support/unit.h"

#define LINK(with, at, by_path)                       \
    {                                                 \
        .partner = with, .level = at, .path = by_path \
    }

#define assert_step(search, wanted_act, wanted_worker)           \
    do {                                                         \
        struct keel_victim_step step = keel_victim_next(search); \
        assert_int_equal(step.action, wanted_act);               \
        assert_int_equal(step.worker, wanted_worker);            \
    } while (0)

#define assert_act(search, wanted) assert_int_equal(keel_victim_next(search).action, wanted)

static const struct keel_tree_links three_links = {
    3, {LINK(4, 0, true), LINK(2, 1, true), LINK(9, 2, false)}};

TEST(alone_there_is_nobody_to_ask)
{
    static const struct keel_tree_links none = {0};

    for (enum keel_victim_kind kind = KEEL_VICTIM_TREE; kind <= KEEL_VICTIM_DIFFUSE; kind++) {
        struct keel_victim_search search;
        keel_victim_begin(&search, kind, 1, 0, &none, 4, 1);
        assert_act(&search, KEEL_VICTIM_WAIT);
        keel_victim_answered(&search, 0, 5, 5, false);
        keel_victim_new_round(&search);
        assert_act(&search, KEEL_VICTIM_WAIT);
    }
}

/* --- tree --- */

TEST(by_order_higher_links_are_asked_only_where_lower_ones_fail)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_TREE, 10, 1, &three_links, 0, 1);
    keel_victim_lowest_first(&search);
    assert_step(&search, KEEL_VICTIM_ASK, 4);
    keel_victim_answered(&search, 4, 10, 10, false);
    assert_step(&search, KEEL_VICTIM_ASK, 4); /* as long as it gives */
    keel_victim_answered(&search, 4, 0, 0, false);
    assert_step(&search, KEEL_VICTIM_ASK, 2);
    keel_victim_answered(&search, 2, 1, 0, false);
    assert_step(&search, KEEL_VICTIM_ASK, 4); /* iterations begin another round */
}

TEST(the_round_after_iterations_goes_on_with_the_next_link)
{
    static const uint32_t next[] = {2, 9, 4};
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_TREE, 10, 1, &three_links, 0, 1);
    assert_step(&search, KEEL_VICTIM_ASK, 4);
    keel_victim_answered(&search, 4, 10, 10, false);
    for (uint32_t i = 0; i < 3; i++) {
        assert_step(&search, KEEL_VICTIM_ASK, next[i]);
        keel_victim_answered(&search, next[i], 0, 0, false);
    }
    assert_act(&search, KEEL_VICTIM_WAIT);
}

/* --- steal --- */

TEST(who_gave_is_asked_first)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_STEAL, 1000, 17, NULL, 0, 3);
    keel_victim_use_lifelines(&search);
    uint32_t giver = keel_victim_next(&search).worker;
    keel_victim_answered(&search, giver, 1, 0, false);
    assert_step(&search, KEEL_VICTIM_ASK, giver);
    keel_victim_answered(&search, giver, 1, 0, false);
    assert_step(&search, KEEL_VICTIM_ASK, giver);
    keel_victim_answered(&search, giver, 0, 0, false);
    keel_victim_new_round(&search);
    assert_true(keel_victim_next(&search).worker != giver); /* of a thousand, with this seed */
}

/* --- lifelines --- */

TEST(who_keeps_a_request_is_not_asked_again)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_STEAL, 8, 1, NULL, 0, 1);
    keel_victim_use_lifelines(&search);
    search.asked = 8; /* past the random ones */
    assert_step(&search, KEEL_VICTIM_ASK, 2);
    keel_victim_answered(&search, 2, 0, 0, true);
    assert_step(&search, KEEL_VICTIM_ASK, 3);
    keel_victim_answered(&search, 3, 0, 3, false); /* keeps what it has, not the request */
    assert_step(&search, KEEL_VICTIM_ASK, 5);
    keel_victim_answered(&search, 5, 0, 0, true);
    assert_act(&search, KEEL_VICTIM_WAIT);
    assert_false(keel_victim_is_kept_by_all(&search));
    keel_victim_ask_again(&search);
    assert_step(&search, KEEL_VICTIM_ASK, 3);
    keel_victim_answered(&search, 3, 0, 0, true);
    assert_act(&search, KEEL_VICTIM_WAIT);
    assert_true(keel_victim_is_kept_by_all(&search));
    keel_victim_shared(&search, 4); /* is no partner */
    keel_victim_shared(&search, 5);
    assert_false(keel_victim_is_kept_by_all(&search));
    keel_victim_new_round(&search);
    search.asked = 8;
    assert_step(&search, KEEL_VICTIM_ASK, 5);
    keel_victim_answered(&search, 5, 0, 0, true);
    assert_act(&search, KEEL_VICTIM_WAIT);
}

TEST(links_keep_requests_and_are_asked_again)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_TREE, 10, 1, &three_links, 0, 1);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            struct keel_victim_step step = keel_victim_next(&search);
            assert_int_equal(step.keep, KEEL_VICTIM_KEEP);
            keel_victim_answered(&search, step.worker, 0, 3, true);
        }
        assert_act(&search, KEEL_VICTIM_WAIT);
        assert_true(keel_victim_is_kept_by_all(&search));
        keel_victim_ask_again(&search);
    }
}

/* --- diffuse --- */

TEST(workers_draw_different_victims)
{
    enum { WORKERS = 1000, ROUND = 22 };
    uint32_t asked[WORKERS] = {0}, most = 0;

    for (uint32_t w = 0; w < WORKERS; w++) {
        struct keel_victim_search search;
        keel_victim_begin(&search, KEEL_VICTIM_STEAL, WORKERS, w, NULL, 0, 42);
        keel_victim_use_lifelines(&search);
        for (int i = 0; i < ROUND; i++) {
            uint32_t victim = keel_victim_next(&search).worker;
            asked[victim]++;
            keel_victim_answered(&search, victim, 0, 0, false);
            if (i % KEEL_VICTIM_RANDOM == KEEL_VICTIM_RANDOM - 1) {
                keel_victim_new_round(&search);
            }
        }
    }
    for (uint32_t w = 0; w < WORKERS; w++) {
        most = asked[w] > most ? asked[w] : most;
        assert_true(asked[w] > 0);
    }
    assert_true(most < 3 * ROUND);
}

TEST(after_iterations_another_neighbourhood_is_looked_at)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_DIFFUSE, 100, 99, NULL, 1, 1);
    keel_victim_use_lifelines(&search);
    assert_step(&search, KEEL_VICTIM_LOOK, 0);
    keel_victim_answered(&search, 0, 0, 4, false);
    assert_step(&search, KEEL_VICTIM_ASK, 0);
    keel_victim_answered(&search, 0, 4, 0, false);
    bool moved = false;
    for (uint32_t round = 0; round < 6; round++) {
        struct keel_victim_step step = keel_victim_next(&search);
        assert_int_equal(step.action, KEEL_VICTIM_LOOK);
        moved |= step.worker != 98 && step.worker != 0 && step.worker != 1;
        keel_victim_answered(&search, step.worker, 0, 0, false);
        for (uint32_t line = 0; round == 0 && line < 7; line++) {
            step = keel_victim_next(&search);
            assert_int_equal(step.worker, (99 + (1u << line)) % 100);
            keel_victim_answered(&search, step.worker, 0, 0, true);
        }
        assert_act(&search, KEEL_VICTIM_WAIT);
        keel_victim_new_round(&search);
    }
    assert_true(moved);
}

/* Scattered; a round looks at all, or at 2 ceil(log2 P) + 2. */
static uint32_t scattered_rounds(bool all)
{
    uint32_t orders = 0;

    for (uint32_t workers = 2; workers < 40; workers++) {
        struct keel_victim_search search;
        uint32_t worker = workers / 3;
        keel_victim_begin(&search, KEEL_VICTIM_DIFFUSE, workers, worker, NULL, 4, workers);
        keel_victim_scatter(&search, all);
        uint32_t few = 2;
        for (uint32_t power = 1; power < workers; power *= 2) {
            few += 2;
        }
        uint32_t looks = all || few > workers - 1 ? workers - 1 : few;
        for (int round = 0; round < 3; round++) {
            uint64_t looked = 0;
            for (uint32_t i = 0; i < looks; i++) {
                struct keel_victim_step step = keel_victim_next(&search);
                assert_int_equal(step.action, KEEL_VICTIM_LOOK);
                assert_true(step.worker < workers && step.worker != worker);
                assert_false(looked >> step.worker & 1);
                looked |= (uint64_t)1 << step.worker;
                orders += i == 0 && step.worker != (worker + 1) % workers;
                keel_victim_answered(&search, step.worker, 0, 0, false);
            }
            assert_act(&search, KEEL_VICTIM_WAIT);
            keel_victim_new_round(&search);
        }
    }
    return orders;
}

TEST(scattered_a_round_looks_at_others_once_in_an_order_of_its_own)
{
    assert_true(scattered_rounds(true) > 80); /* of 114 rounds; else by distance */
    assert_true(scattered_rounds(false) > 80);
}

TEST(another_worker_can_be_asked_out_of_turn_but_in_a_look)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_DIFFUSE, 9, 0, NULL, 2, 1);
    uint32_t one = keel_victim_next(&search).worker, other = keel_victim_next(&search).worker;
    assert_false(keel_victim_ask(&search, one));
    keel_victim_answered(&search, one, 0, 0, false);
    assert_true(keel_victim_ask(&search, 5));
    assert_false(keel_victim_ask(&search, 6));
    assert_act(&search, KEEL_VICTIM_PENDING);
    keel_victim_answered(&search, 5, 0, 0, false);
    keel_victim_answered(&search, other, 0, 3, false);
    assert_step(&search, KEEL_VICTIM_ASK, other);
}
