/* How often keel compare says something wrong, however often it looks: by counting all paths. */
#include <stddef.h>

#include "omp_ext/command/compare/statistics.h"
#include "tests/support/unit.h"

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

BEFORE_TESTS
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
}
