/* When two schedules count as told apart, however often one looks.
 *
 * In each round both run once, in random order, so that two that are alike win equally often: each
 * round is a toss of a coin, whatever the times are distributed like. A sign test after each round
 * errs more often than after one alone. Here the least number of wins after n rounds is chosen so
 * that a coin ever reaches it with no more than the stated probability: paths that have not reached
 * it before are counted exactly (group-sequential test with a spending function, Lan & DeMets
 * 1983).
 *
 * The same numbers turn into an interval of the median ratio, as order statistics of the rounds'
 * ratios, which holds the median in all rounds at once with that probability. Pure. */
#ifndef OMP_EXT_COMMAND_COMPARE_STATISTICS_SIGN_SEQUENCE_H
#define OMP_EXT_COMMAND_COMPARE_STATISTICS_SIGN_SEQUENCE_H

#define KEEL_SIGN_ROUNDS_MAX 1000

struct keel_sign_sequence {
    unsigned first;                          /* fewest rounds that can tell anything apart */
    unsigned wins[KEEL_SIGN_ROUNDS_MAX + 1]; /* after n rounds; n + 1: nothing is told apart */
};

/* level: probability, 0 .. 1, that two that are alike are ever told apart; for several pairs, of
 * each of them. */
void keel_sign_sequence_make(struct keel_sign_sequence *sequence, double level);

#endif
