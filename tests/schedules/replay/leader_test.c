/* Following the best of several candidates: never more is lost than the bound of leader.h says, by
 * chance or against an adversary, and who is best is found. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/replay/leader.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

/* A run of T decisions between C candidates, and what came of it. */
struct game {
    unsigned candidates;
    int decisions;
    double memory, most_loss, most_cost, hold;
    struct keel_leader leader;
    double changes; /* of who is followed */
    double lost;    /* by those who were followed, with most_cost for each change */
};

/* What each loses now. */
typedef void loss_of(const struct game *game, struct draws *draws, int decision, double *loss);

static void play(struct game *game, struct draws *draws, loss_of *loss_of)
{
    double loss[KEEL_LEADER_CANDIDATES], cost[KEEL_LEADER_CANDIDATES];

    keel_leader_begin(&game->leader, game->candidates, 0, game->memory);
    for (int t = 0; t < game->decisions; t++) {
        loss_of(game, draws, t, loss);
        game->lost += loss[game->leader.followed];
        keel_leader_note(&game->leader, 1, loss);
        for (unsigned j = 0; j < game->candidates; j++) {
            cost[j] = game->most_cost * draws_real(draws);
        }
        unsigned before = game->leader.followed;
        bool changes = keel_leader_choose(&game->leader, cost, game->hold) != before;
        game->changes += changes;
        game->lost += changes ? game->most_cost : 0;
    }
}

static double least(const struct game *game)
{
    double least = INFINITY;

    for (unsigned j = 0; j < game->candidates; j++) {
        least = fmin(least, game->leader.lost_s[j]);
    }
    return least;
}

static void assert_bound(const struct game *game)
{
    double step = game->most_loss + game->most_cost + game->hold;
    double changes = game->changes;
    double bound = least(game) + (changes + 1) * step + changes * game->most_cost +
                   (1 - game->memory) * game->decisions * step;

    assert_true(game->lost <= bound * (1 + 1e-9));
    if (game->memory == 1 && game->hold > 2 * game->most_cost) {
        double most = game->candidates * (1 + least(game) / (game->hold - 2 * game->most_cost));
        assert_true(changes <= most);
    }
}

/* --- losses --- */

static void by_chance(const struct game *game, struct draws *draws, int decision, double *loss)
{
    (void)decision;
    for (unsigned j = 0; j < game->candidates; j++) {
        loss[j] = game->most_loss * pow(draws_real(draws), 1 + j);
    }
}

/* Each candidate is good for a while. */
static void in_turn(const struct game *game, struct draws *draws, int decision, double *loss)
{
    (void)draws;
    for (unsigned j = 0; j < game->candidates; j++) {
        bool good = (unsigned)decision / 17 % game->candidates == j;
        loss[j] = good ? 0 : game->most_loss;
    }
}

/* Who is followed loses most, all others nothing. */
static void against(const struct game *game, struct draws *draws, int decision, double *loss)
{
    (void)draws;
    (void)decision;
    for (unsigned j = 0; j < game->candidates; j++) {
        loss[j] = j == game->leader.followed ? game->most_loss : 0;
    }
}

static struct game draw_game(struct draws *draws)
{
    return (struct game){
        .candidates = 1 + (unsigned)draws_below(draws, KEEL_LEADER_CANDIDATES),
        .decisions = 1 + (int)draws_below(draws, 2000),
        .memory = draws_below(draws, 2) == 0 ? 1 : 1 - 0.2 * draws_real(draws),
        .most_loss = draws_real(draws),
        .most_cost = draws_below(draws, 4) == 0 ? 0 : 2 * draws_real(draws),
        .hold = draws_below(draws, 4) == 0 ? 0 : 5 * draws_real(draws),
    };
}

TEST(losses_stay_within_the_bound)
{
    static loss_of *const losses[] = {by_chance, in_turn, against};
    struct draws draws = draws_begin();

    for (int times = 0; times < 600; times++) {
        struct game game = draw_game(&draws);
        play(&game, &draws, losses[times % 3]);
        assert_bound(&game);
    }
}

/* --- whom --- */

static unsigned after(int decisions, const double *loss, const double *cost, double hold)
{
    struct keel_leader leader;
    unsigned followed = 0;

    keel_leader_begin(&leader, 3, 1, 1);
    for (int i = 0; i < decisions; i++) {
        keel_leader_note(&leader, 1, loss);
        followed = keel_leader_choose(&leader, cost, hold);
    }
    return followed;
}

/* Candidate 2 gains 0.1 at each decision; going there costs 1. */
TEST(a_change_has_to_be_worth_its_cost)
{
    const double loss[] = {0.3, 0.2, 0.1}, cost[] = {0, 0, 1}, none[] = {0, 0, 0};

    assert_int_equal(after(9, loss, cost, 0), 1);
    assert_int_equal(after(11, loss, cost, 0), 2);
    assert_int_equal(after(1, loss, none, 0), 2);
    assert_int_equal(after(19, loss, cost, 1), 1);
    assert_int_equal(after(21, loss, cost, 1), 2);
}

/* Candidate 0 was better for 1000 decisions, and 1 has been since. */
TEST(what_is_long_ago_is_forgotten)
{
    const double none[] = {0, 0};
    struct keel_leader leader;
    int late = 0;

    keel_leader_begin(&leader, 2, 0, 1 - 1. / 32);
    for (int i = 0; i < 1000; i++) {
        keel_leader_note(&leader, 1, (double[]){0, 1});
        assert_int_equal(keel_leader_choose(&leader, none, 0), 0);
    }
    do {
        keel_leader_note(&leader, 1, (double[]){1, 0});
        late++;
    } while (late < 1000 && keel_leader_choose(&leader, none, 0) == 0);
    assert_in_range(late, 20, 25); /* half of the sums: ln 2 times 32 */
}
