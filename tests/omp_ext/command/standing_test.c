/* How sure a comparison is: how policies rank, and how often that is wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/compare/statistics.h"
#include "tests/support/unit.h"

/* --- medians, ratios by round, who is best, and when nothing is left to tell --- */

static struct keel_sign_sequence sequence;

/* Rounds of `candidates` times each; negative: missing. */
static struct keel_samples take(size_t candidates, const double *time_s, size_t rounds)
{
    struct keel_samples samples = {.candidates = candidates};

    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < candidates; i++) {
            double next_s = time_s[round * candidates + i];
            keel_samples_note(&samples, round, i, next_s < 0 ? NAN : next_s);
        }
    }
    return samples;
}

/* Of who is judged last. */
static struct keel_standings standings;

/* Whether nothing is left to tell of them, where so much of a difference matters. */
static bool judged(const struct keel_samples *samples, double matters)
{
    keel_standings_make(&standings, samples, &sequence, matters);
    return keel_standings_settled(&standings, samples);
}

/* `rounds` times the same round, each slower than the one before. */
static struct keel_samples repeat(size_t candidates, const double *time_s, size_t rounds)
{
    struct keel_samples samples = {.candidates = candidates};

    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < candidates; i++) {
            keel_samples_note(&samples, round, i, time_s[i] * (double)(round + 1));
        }
    }
    return samples;
}

TEST(quantiles)
{
    double number[] = {3, NAN, 1, 2, NAN, 4};

    assert_int_equal(keel_order_sort(number, 6), 4);
    assert_true(number[0] == 1 && number[3] == 4);
    assert_true(keel_order_quantile(number, 4, 0.5) == 2.5);
    assert_true(keel_order_quantile(number, 4, 0) == 1);
    assert_true(keel_order_quantile(number, 4, 1) == 4);
    assert_true(keel_order_quantile(number, 3, 0.5) == 2);
    assert_true(isnan(keel_order_quantile(number, 0, 0.5)));
}

/* Times grow tenfold from round to round: only ratios in the same round say anything. */
TEST(ratios_are_of_one_round)
{
    static const double time_s[] = {1, 2, 10, 30, 100, 250};
    struct keel_samples samples = take(2, time_s, 3);
    struct keel_ratio ratio = keel_ratio_of(&samples, 1, 0, &sequence);

    assert_int_equal(ratio.rounds, 3);
    assert_true(ratio.median == 2.5);
    assert_true(ratio.low == 0 && isinf(ratio.high)); /* three rounds can't tell */
    assert_false(keel_ratio_differs(&ratio));
    free(samples.time_s);
}

TEST(rounds_in_which_one_is_missing)
{
    allow_exceptions();
    static const double time_s[] = {1, 2, 1, -1, -1, 5, 1, 4};
    struct keel_samples samples = take(2, time_s, 4);
    struct keel_ratio ratio = keel_ratio_of(&samples, 1, 0, &sequence);

    assert_int_equal(ratio.rounds, 2);
    assert_true(ratio.median == 3);
    free(samples.time_s);
}

/* One over the ratio has one over the interval: both its ends are as far in. */
TEST(intervals_of_inverse_ratios)
{
    struct keel_samples samples = {.candidates = 2};

    for (size_t round = 0; round < 40; round++) {
        keel_samples_note(&samples, round, 0, 1);
        keel_samples_note(&samples, round, 1, 1 + (double)(round * 7 % 40));
    }
    struct keel_ratio ratio = keel_ratio_of(&samples, 1, 0, &sequence);
    struct keel_ratio inverse = keel_ratio_of(&samples, 0, 1, &sequence);
    assert_true(ratio.low > 1 && ratio.high < 40);
    assert_true(fabs(ratio.low * inverse.high - 1) < 1e-12);
    assert_true(fabs(ratio.high * inverse.low - 1) < 1e-12);
    free(samples.time_s);
}

/* The last rounds are slow, and one has not run in them: its median says nothing. */
TEST(best_by_ratios)
{
    allow_exceptions();
    static const double time_s[] = {1, 0.9, 0.95, 1, 0.9, 0.95, 10, 9, -1, 10, 9, -1, 10, 9, -1};
    struct keel_samples samples = take(3, time_s, 5);

    judged(&samples, 0.01);
    assert_int_equal(standings.best, 1);
    assert_true(fabs(standings.of[2].regret - (0.95 / 0.9 - 1)) < 1e-12);
    assert_int_equal(standings.of[2].runs, 2);
    free(samples.time_s);
}

TEST(who_is_best)
{
    static const double time_s[] = {2, 1, 4, 1.001};
    struct keel_samples samples = repeat(4, time_s, 20);

    judged(&samples, 0.01);
    assert_int_equal(standings.best, 1);
    assert_int_equal(standings.of[0].verdict, KEEL_STANDING_SLOWER);
    assert_int_equal(standings.of[1].verdict, KEEL_STANDING_BEST);
    assert_int_equal(standings.of[2].verdict, KEEL_STANDING_SLOWER);
    assert_true(fabs(standings.of[2].regret - 3) < 1e-12);
    assert_true(fabs(standings.of[2].to_first.median - 2) < 1e-12);
    assert_true(standings.of[1].regret == 0);
    assert_true(keel_standings_settled(&standings, &samples));
    free(samples.time_s);
}

/* Two that differ by less than what matters, now the one faster, now the other. */
TEST(too_close_to_matter)
{
    struct keel_samples samples = {.candidates = 2};

    for (size_t round = 0; round < 30; round++) {
        keel_samples_note(&samples, round, 0, 1);
        keel_samples_note(&samples, round, 1, round % 2 == 0 ? 0.996 : 1.004);
    }
    judged(&samples, 0.01);
    assert_int_equal(standings.of[1 - standings.best].verdict, KEEL_STANDING_ALIKE);
    assert_true(keel_standings_settled(&standings, &samples));
    judged(&samples, 0.001);
    assert_int_equal(standings.of[1 - standings.best].verdict, KEEL_STANDING_OPEN);
    assert_false(keel_standings_settled(&standings, &samples));
    free(samples.time_s);
}

TEST(too_few_rounds_settle_nothing)
{
    static const double time_s[] = {2, 1};

    for (size_t rounds = 0; rounds <= sequence.first; rounds++) {
        struct keel_samples samples = repeat(2, time_s, rounds);
        judged(&samples, 0.01);
        assert_int_equal(keel_standings_settled(&standings, &samples), rounds == sequence.first);
        free(samples.time_s);
    }
}

/* Who has never run stands nowhere, and the first who has is the one that others stand beside. */
TEST(who_has_not_run)
{
    allow_exceptions();
    static const double time_s[] = {-1, 2, -1, 1, -1, 2, -1, 1};
    struct keel_samples samples = take(4, time_s, 2);

    judged(&samples, 0.01);
    assert_int_equal(standings.of[0].verdict, KEEL_STANDING_NONE);
    assert_int_equal(standings.of[2].verdict, KEEL_STANDING_NONE);
    assert_true(isnan(standings.of[2].regret) && isnan(standings.of[2].median_s));
    assert_int_equal(standings.best, 3);
    assert_true(standings.of[3].to_first.median == 0.5);
    free(samples.time_s);
}

TEST(words)
{
    static const struct {
        struct keel_ratio ratio;
        const char *wanted;
    } cases[] = {
        {{20, 0.88, 0.86, 0.901}, "12 % (10 to 14) faster"},
        {{20, 1.4, 1.38, 1.42}, "40 % (38 to 42) slower"},
        {{20, 0.97, 0.955, 0.984}, "3.0 % (1.6 to 4.5) faster"},
        {{20, 1.004, 1.002, 1.006}, "0.40 % (0.20 to 0.60) slower"},
        {{20, 0.9, 0.7, 1.1}, "10 % faster"},
        {{3, 1.2, 0, INFINITY}, "20 % slower"},
        {{20, 1, 0.9, 1.1}, "as fast"},
    };
    char text[KEEL_WORDING_MAX];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(keel_wording_of(&cases[i].ratio, text), cases[i].wanted);
    }
    assert_string_equal(keel_wording_ratio(&cases[0].ratio, text), "0.880 (0.860 to 0.901)");
    assert_string_equal(keel_wording_ratio(&cases[5].ratio, text), "1.200");
    assert_string_equal(keel_wording_ratio(&(struct keel_ratio){.median = NAN}, text), "-");
}

BEFORE_TESTS
{
    keel_sign_sequence_make(&sequence, 0.01);
}

/* --- how often something wrong is said, however often keel compare looks: of all paths --- */

#define LEVEL 0.05

/* Of all 2^rounds sequences of a fair coin, those that ever have enough heads or tails. */
static double part_told(const struct keel_sign_sequence *sequence, unsigned rounds)
{
    unsigned told = 0;

    for (unsigned path = 0; path < 1u << rounds; path++) {
        unsigned wins = 0, hit = 0;
        for (unsigned n = 1; n <= rounds && !hit; n++) {
            wins += path >> (n - 1) & 1;
            hit = wins >= sequence->wins[n] || n - wins >= sequence->wins[n];
        }
        told += hit;
    }
    return told / (double)(1u << rounds);
}

TEST(paths_that_ever_tell)
{
    static const double levels[] = {0.5, 0.2, 0.05, 0.01, 0.002};
    static struct keel_sign_sequence sequence;

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        keel_sign_sequence_make(&sequence, levels[i]);
        double told = part_told(&sequence, 20);
        assert_true(told <= levels[i]);
        assert_true(told >= levels[i] / 8); /* it is not met by never telling anything */
    }
}

TEST(first_round_that_can_tell)
{
    static struct keel_sign_sequence sequence;

    keel_sign_sequence_make(&sequence, LEVEL);
    for (unsigned n = 0; n < sequence.first; n++) {
        assert_int_equal(sequence.wins[n], n + 1);
    }
    assert_int_equal(sequence.first,
                     7); /* 2 / 2^7 is below half of the level and a bit, 2 / 2^6 above */
    assert_int_equal(sequence.wins[7], 7);
    for (unsigned n = sequence.first; n < KEEL_SIGN_ROUNDS_MAX; n++) {
        assert_true(2 * sequence.wins[n] > n);
        assert_true(sequence.wins[n + 1] >= sequence.wins[n]);
        assert_true(sequence.wins[n + 1] <= sequence.wins[n] + 1);
    }
}
