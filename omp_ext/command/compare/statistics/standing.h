/* Where candidates stand: each beside the first of them, the reference, and beside the best, and
 * whether more rounds could tell more. Pure. */
#ifndef OMP_EXT_COMMAND_COMPARE_STATISTICS_STANDING_H
#define OMP_EXT_COMMAND_COMPARE_STATISTICS_STANDING_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/compare/statistics/ratio.h"
#include "omp_ext/command/compare/statistics/samples.h"

enum keel_standing_verdict {
    KEEL_STANDING_BEST,
    KEEL_STANDING_SLOWER, /* than the best: told apart from it */
    KEEL_STANDING_ALIKE,  /* told to differ from the best by no more than what matters */
    KEEL_STANDING_OPEN,   /* neither */
    KEEL_STANDING_NONE    /* there is no time of it */
};

struct keel_standing {
    enum keel_standing_verdict verdict;
    size_t runs;
    double median_s;            /* all NaN without runs */
    double quarter_s, three_s;  /* quartiles */
    struct keel_ratio to_first; /* to the first candidate that has run */
    struct keel_ratio to_best;
    double regret; /* to_first over the best one's, less 1; >= 0 */
};

struct keel_standings {
    size_t best; /* of least to_first; candidates: nobody has run beside the first */
    struct keel_standing *of;
};

/* `matters`: part of the time that a difference has to be to matter. False: no memory. */
bool keel_standings_make(struct keel_standings *standings, const struct keel_samples *samples,
                         const struct keel_sign_sequence *sequence, double matters);

/* Somebody is best, and none is OPEN. */
bool keel_standings_settled(const struct keel_standings *standings,
                            const struct keel_samples *samples);

void keel_standings_free(struct keel_standings *standings);

#endif
