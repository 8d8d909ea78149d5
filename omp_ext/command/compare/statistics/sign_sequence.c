/* When two schedules count as told apart, however often one looks. */
#include "omp_ext/command/compare/statistics/sign_sequence.h"

#include <math.h>
#include <string.h>

/* Tosses of a fair coin. */
struct paths {
    unsigned rounds;
    double probability[KEEL_SIGN_ROUNDS_MAX + 1]; /* by wins, of paths that have not ended */
    double spent;                                 /* of those that have */
};

/* How much may have been spent after so many rounds: half of it early, as runs are dear, and the
 * rest ever more slowly, as the sequence has no last round. */
static double may_spend(double level, unsigned rounds)
{
    return level * (1 - 1 / (2 + rounds / 16.0));
}

static void toss(struct paths *paths)
{
    paths->rounds++;
    paths->probability[paths->rounds] = 0;
    for (unsigned wins = paths->rounds; wins > 0; wins--) {
        paths->probability[wins] = (paths->probability[wins] + paths->probability[wins - 1]) / 2;
    }
    paths->probability[0] /= 2;
}

/* Ends the paths with so many wins, and those with so many losses. */
static void end_at(struct paths *paths, unsigned wins)
{
    paths->spent += 2 * paths->probability[wins];
    paths->probability[wins] = 0;
    paths->probability[paths->rounds - wins] = 0;
}

/* The least number of wins, more than half, that keeps within what may be spent. */
static unsigned least_wins(struct paths *paths, double level)
{
    unsigned least = paths->rounds + 1;

    while (2 * (least - 1) > paths->rounds &&
           paths->spent + 2 * paths->probability[least - 1] <= may_spend(level, paths->rounds)) {
        least--;
        end_at(paths, least);
    }
    return least;
}

void keel_sign_sequence_make(struct keel_sign_sequence *sequence, double level)
{
    struct paths paths = {.probability = {1}};

    memset(sequence, 0, sizeof *sequence);
    sequence->wins[0] = 1;
    while (paths.rounds < KEEL_SIGN_ROUNDS_MAX) {
        toss(&paths);
        sequence->wins[paths.rounds] = least_wins(&paths, level);
        if (sequence->first == 0 && sequence->wins[paths.rounds] <= paths.rounds) {
            sequence->first = paths.rounds;
        }
    }
}
