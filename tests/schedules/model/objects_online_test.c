/* Bounds of phases and advice about the number of objects: by hand, in drawn situations, and where
 * numbers can't be. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/model/objects_online.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define RANKS_MAX 40

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected))) {
        fail_msg("%.12g, not %.12g", value, expected);
    }
}

/* Two ranks, 300 objects of 10 ms and 50 ms at most, of which the first one begins with 200: 0.5 s
 * move. */
static const struct keel_objects_rank two[] = {{200, 100}, {100, 100}};
static const struct keel_objects_known pair = {.ranks = 2,
                                               .rank = two,
                                               .objects = 300,
                                               .mean_s = 0.01,
                                               .longest_s = 0.05,
                                               .moves = true,
                                               .neighbourhood = 1,
                                               .request_s = 0.014,
                                               .give_s = 0.0001,
                                               .take_s = 0.0002,
                                               .visit_s = 0.00002};

static struct keel_objects_bounds bounds_of(const struct keel_objects_known *known)
{
    struct keel_objects_bounds bounds;

    assert_true(keel_objects_bounds(known, &bounds));
    return bounds;
}

/* One three times slower: it gives 50 of 100 objects. */
TEST(speeds_count)
{
    const struct keel_objects_rank rank[] = {{100, 100.0 / 3}, {100, 100}};
    struct keel_objects_known known = pair;

    known.rank = rank;
    known.objects = 200;
    struct keel_objects_bounds bounds = bounds_of(&known);
    assert_near(bounds.ideal_s, 1.5);
    assert_near(bounds.unbalanced_s, 3);
    assert_near(bounds.moved, 50);
}

/* --- any situation --- */

static double draw(struct draws *draws, double most)
{
    return most * (double)(draws_next(draws) % 1001) / 1000;
}

static struct keel_objects_known draw_known(struct draws *draws,
                                            struct keel_objects_rank rank[RANKS_MAX])
{
    struct keel_objects_known known = {
        .ranks = 1 + (uint32_t)(draws_next(draws) % RANKS_MAX),
        .rank = rank,
        .objects = 1 + draws_next(draws) % 5000,
        .mean_s = draw(draws, 0.1),
        .moves = true,
        .neighbourhood = (uint32_t)(draws_next(draws) % 20),
        .request_s = draw(draws, 0.01),
        .give_s = draw(draws, 0.001),
        .take_s = draw(draws, 0.001),
        .visit_s = draw(draws, 1e-5),
    };

    known.longest_s = known.mean_s * (1 + draw(draws, 20));
    for (uint32_t i = 0; i < known.ranks; i++) {
        rank[i] = (struct keel_objects_rank){draw(draws, 100), draw(draws, 10)};
    }
    rank[0] = (struct keel_objects_rank){1 + draw(draws, 100), 1};
    return known;
}

TEST(bounds_are_in_order)
{
    struct draws draws = draws_begin();
    struct keel_objects_rank rank[RANKS_MAX];

    for (int i = 0; i < 5000; i++) {
        struct keel_objects_known known = draw_known(&draws, rank);
        struct keel_objects_bounds bounds = bounds_of(&known);
        double visits_s = (double)known.objects * known.visit_s / known.ranks;
        assert_true(bounds.ideal_s > 0 && bounds.ideal_s <= bounds.lower_s);
        assert_true(bounds.lower_s <= bounds.upper_s);
        assert_true(bounds.upper_s <= (bounds.unbalanced_s + visits_s) * (1 + 1e-12));
        assert_true(bounds.overloaded < known.ranks || known.ranks == 1);
        assert_true(bounds.moved <= (double)known.objects);
    }
}

/* --- advice --- */

/* Ten thousand objects of a microsecond each, which cost as much to visit. */
TEST(many_objects_should_be_fewer)
{
    const struct keel_objects_rank rank[] = {{7500, 1e6}, {2500, 1e6}};
    const struct keel_objects_known known = {.ranks = 2,
                                             .rank = rank,
                                             .objects = 10000,
                                             .mean_s = 1e-6,
                                             .longest_s = 1e-6,
                                             .moves = true,
                                             .give_s = 1e-6,
                                             .take_s = 1e-6,
                                             .visit_s = 1e-6};
    struct keel_objects_advice advice = keel_objects_advise(&known);

    assert_true(advice.pieces < 1 && advice.gain > 0.3);
    assert_near(advice.per_rank, 5000 * advice.pieces);
}

/* Objects that differ stay as many, also where answers are late: a hundred of 10 ms, one of which
 * takes 500 ms. */
TEST(objects_that_differ_are_not_put_together)
{
    const struct keel_objects_rank rank[] = {{51, 100}, {49, 100}};
    struct keel_objects_known known = pair;

    known.rank = rank;
    known.objects = 100;
    known.longest_s = 0.5;
    known.visit_s = 2e-4;
    for (known.request_s = 1e-4; known.request_s < 1; known.request_s *= 2) {
        assert_true(keel_objects_advise(&known).pieces >= 1);
    }
}

TEST(advice_is_bounded)
{
    struct draws draws = draws_begin();
    struct keel_objects_rank rank[RANKS_MAX];
    int changes = 0;

    for (int i = 0; i < 2000; i++) {
        struct keel_objects_known known = draw_known(&draws, rank);
        struct keel_objects_bounds bounds = bounds_of(&known);
        struct keel_objects_advice advice = keel_objects_advise(&known);
        double mean_s = (bounds.lower_s + bounds.upper_s) / 2;
        assert_true(advice.pieces >= 1.0 / 64 && advice.pieces <= 64);
        assert_true(advice.pieces >= 1 || advice.per_rank >= 1);
        assert_true((advice.gain == 0) == (advice.pieces == 1));
        assert_true(advice.gain == 0 || advice.gain >= 0.9 * KEEL_OBJECTS_ADVICE_GAIN);
        assert_true(advice.gain * mean_s <= mean_s - bounds.ideal_s + 1e-12);
        changes += advice.pieces != 1;
    }
    assert_true(changes > 100 && changes < 2000);
}

/* --- numbers that can't be --- */

TEST(nothing_to_know)
{
    const struct keel_objects_rank none[] = {{0, 1}, {0, 1}}, unknown[] = {{1, 0}, {1, -1}},
                                   wild[] = {{NAN, INFINITY}, {INFINITY, NAN}};
    const struct keel_objects_rank *const rank[] = {none, unknown, wild};
    struct keel_objects_known known = pair;
    struct keel_objects_bounds bounds;

    for (int i = 0; i < 3; i++) {
        known.rank = rank[i];
        assert_false(keel_objects_bounds(&known, &bounds));
        assert_true(bounds.upper_s == 0 && bounds.lower_s == 0 && bounds.ideal_s == 0);
        assert_true(keel_objects_advise(&known).pieces == 1);
    }
    known = pair;
    known.objects = 0;
    assert_false(keel_objects_bounds(&known, &bounds));
    known = pair;
    known.ranks = 0;
    assert_false(keel_objects_bounds(&known, &bounds));
    assert_true(keel_objects_advise(&known).pieces == 1);
}

TEST(no_number_breaks_it)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, -1, 0, 5e-324, 1e-300, 1e300, 1.7e308, 1};
    const size_t odds = sizeof odd / sizeof odd[0];
    struct draws draws = draws_begin();

    for (int i = 0; i < 20000; i++) {
        struct keel_objects_rank rank[3];
        double drawn[13];
        for (int j = 0; j < 13; j++) {
            drawn[j] = odd[draws_next(&draws) % odds];
        }
        for (int j = 0; j < 3; j++) {
            rank[j] = (struct keel_objects_rank){drawn[2 * j], drawn[2 * j + 1]};
        }
        struct keel_objects_known known = {3,         rank,     i % 2 == 0 ? 7 : UINT64_MAX,
                                           drawn[6],  drawn[7], true,
                                           i % 3 > 0, drawn[8], drawn[9],
                                           drawn[10], drawn[11]};
        struct keel_objects_bounds bounds;
        bool known_any = keel_objects_bounds(&known, &bounds);
        assert_true(isfinite(bounds.lower_s) && isfinite(bounds.upper_s));
        assert_true(bounds.lower_s <= bounds.upper_s && bounds.lower_s >= 0);
        assert_true(isfinite(bounds.moved) && (known_any || bounds.upper_s == 0));
        struct keel_objects_advice advice = keel_objects_advise(&known);
        assert_true(advice.gain >= 0 && advice.gain <= 1 && isfinite(advice.per_rank));
    }
}

/* A rank of which no rate is known counts as the mean of the others. */
TEST(unknown_rates_are_the_mean)
{
    struct keel_objects_rank rank[] = {{3, 1}, {0, 0}, {0, 3}};
    struct keel_objects_known known = pair;

    known.ranks = 3;
    known.rank = rank;
    double ideal_s = bounds_of(&known).ideal_s;
    assert_near(ideal_s, 0.5);
    rank[1].rate = 2;
    assert_near(bounds_of(&known).ideal_s, ideal_s);
}
