/* How often keel compare says something wrong, however often it looks: by counting all paths, and
 * by comparisons drawn from many kinds of noise. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/command/compare/statistics.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define LEVEL 0.05
#define ROUNDS 60

static struct draws draws;

/* --- all paths --- */

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

/* --- noise --- */

static double normal(void)
{
    return sqrt(-2 * log(1 - draws_real(&draws))) * cos(2 * M_PI * draws_real(&draws));
}

static double lognormal(void)
{
    return exp(0.1 * normal());
}

/* no mean */
static double heavy_tail(void)
{
    return 1 + 0.02 * fabs(tan(M_PI * (draws_real(&draws) - 0.5)));
}

/* 1 of 20 takes three times as long */
static double outliers(void)
{
    return exp(0.01 * normal()) * (draws_below(&draws, 20) == 0 ? 3 : 1);
}

/* memory lies well or not */
static double two_states(void)
{
    return exp(0.0001 * normal()) * (draws_below(&draws, 2) == 0 ? 1.2 : 1);
}

/* a clock of few steps: many ties */
static double few_steps(void)
{
    return 1 + 0.1 * (double)draws_below(&draws, 3);
}

static double one_in_four(void)
{
    return draws_below(&draws, 4) == 0 ? 2 : 1 + 0.001 * draws_real(&draws);
}

static const struct noise {
    const char *name;
    double (*draw)(void);
} noises[] = {
    {"lognormal", lognormal},   {"heavy tail", heavy_tail}, {"outliers", outliers},
    {"two states", two_states}, {"few steps", few_steps},   {"one in four", one_in_four},
};

#define NOISES (sizeof noises / sizeof noises[0])

/* What makes a round as a whole slower: the machine. It grows, and jumps. */
static double condition(unsigned round)
{
    return (1 + 0.05 * round) * (draws_below(&draws, 5) == 0 ? 2 : 1);
}

/* Candidate i takes factor[i] times as long. */
static void draw_round(struct keel_samples *samples, const double *factor,
                       const struct noise *noise)
{
    size_t round = samples->rounds;
    double base = condition((unsigned)round);

    for (size_t i = 0; i < samples->candidates; i++) {
        keel_samples_note(samples, round, i, base * factor[i] * noise->draw());
    }
}

/* Whether any pair that is alike is ever told apart; ratios that differ must lie in their
 * intervals. */
static bool says_wrong(const struct keel_samples *samples, const double *factor,
                       const struct keel_sign_sequence *sequence)
{
    for (size_t i = 1; i < samples->candidates; i++) {
        for (size_t k = 0; k < i; k++) {
            struct keel_ratio ratio = keel_ratio_of(samples, i, k, sequence);
            double truth = factor[i] / factor[k];
            if (ratio.low > truth * (1 + 1e-12) || ratio.high < truth * (1 - 1e-12)) {
                return true;
            }
        }
    }
    return false;
}

/* The part of comparisons in which anything wrong is said after any round. */
static double part_wrong(size_t candidates, const double *factor, const struct noise *noise,
                         unsigned comparisons, unsigned rounds)
{
    static struct keel_sign_sequence sequence;
    unsigned wrong = 0;

    keel_sign_sequence_make(&sequence, LEVEL / ((double)(candidates * (candidates - 1)) / 2));
    for (unsigned i = 0; i < comparisons; i++) {
        struct keel_samples samples = {.candidates = candidates};
        bool said = false;
        for (unsigned round = 0; round < rounds && !said; round++) {
            draw_round(&samples, factor, noise);
            said = says_wrong(&samples, factor, &sequence);
        }
        wrong += said;
        free(samples.time_s);
    }
    return wrong / (double)comparisons;
}

/* Three standard deviations of what is counted. */
static double margin(unsigned comparisons)
{
    return 3 * sqrt(LEVEL * (1 - LEVEL) / comparisons);
}

static void expect_rate(const char *what, double wrong, unsigned comparisons)
{
    printf("# %s: %.3f of %u wrong\n", what, wrong, comparisons);
    if (wrong > LEVEL + margin(comparisons)) {
        fail_msg("%s: %g of the comparisons are wrong, more than %g", what, wrong, LEVEL);
    }
}

TEST(pairs_that_are_alike)
{
    static const double factor[] = {1, 1};
    double all = 0;

    for (size_t i = 0; i < NOISES; i++) {
        double wrong = part_wrong(2, factor, &noises[i], 10000, ROUNDS);
        expect_rate(noises[i].name, wrong, 10000);
        all += wrong / NOISES;
    }
    assert_true(all > LEVEL / 10); /* the rate is used: else rounds are wasted */
}

/* The intervals hold the ratio, after all rounds, of those that differ and of those that don't. */
TEST(intervals_of_several)
{
    static const double factor[] = {1, 1, 1.3, 0.7, 1.02};

    for (size_t i = 0; i < NOISES; i++) {
        expect_rate(noises[i].name, part_wrong(5, factor, &noises[i], 600, 40), 600);
    }
}

/* --- what is told --- */

TEST(differences_are_told)
{
    static const double factor[] = {1, 1.1};
    static struct keel_sign_sequence sequence;
    const struct noise little = {"outliers", outliers};
    unsigned told = 0;

    keel_sign_sequence_make(&sequence, LEVEL / 28);
    for (unsigned i = 0; i < 200; i++) {
        struct keel_samples samples = {.candidates = 2};
        for (unsigned round = 0; round < 40; round++) {
            draw_round(&samples, factor, &little);
        }
        struct keel_ratio ratio = keel_ratio_of(&samples, 0, 1, &sequence);
        told += ratio.high < 1;
        free(samples.time_s);
    }
    assert_true(told > 150);
}

BEFORE_TESTS
{
    draws = draws_begin();
    cmocka_set_message_output(CM_OUTPUT_TAP);
}
