/* Bounds of phases and advice about the number of objects: by hand, in drawn situations, and where
 * numbers can't be. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/model/objects_terms.h"
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
