/* What times of candidates in rounds say: of the whole program, or of one of its loops. Pure.
 *
 *   times -> samples -> ratios by round -> intervals of a sign test -> standings */
#ifndef OMP_EXT_COMMAND_COMPARE_STATISTICS_H
#define OMP_EXT_COMMAND_COMPARE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* --- order --- */

/* Medians and quartiles of numbers some of which are missing (not-a-number). Pure. */

/* Moves what is not missing to the front, in increasing order; how many that are. */
size_t keel_order_sort(double *number, size_t count);

/* The quantile of `count` sorted numbers, 0 <= part <= 1, between two of them where it falls there;
 * not-a-number without any. */
double keel_order_quantile(const double *sorted, size_t count, double part);

/* --- samples --- */

/* Times of candidates in rounds: of the whole program, or of one of its loops. Plain data. */

#define KEEL_CANDIDATES_MAX 64

struct keel_samples {
    size_t candidates, rounds;
    double *time_s; /* rounds x candidates; not-a-number: missing. NULL: none yet */
};

/* Notes the time of a candidate in a round, of KEEL_SIGN_ROUNDS_MAX; rounds up to it that are new
 * have none. `candidates` is set before. */
void keel_samples_note(struct keel_samples *samples, size_t round, size_t candidate, double time_s);

/* Not-a-number: missing. */
double keel_samples_at(const struct keel_samples *samples, size_t round, size_t candidate);

/* --- sign sequence --- */

/* When two schedules count as different, however often one looks.
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

#define KEEL_SIGN_ROUNDS_MAX 1000

struct keel_sign_sequence {
    unsigned first;                          /* fewest rounds that can show a difference */
    unsigned wins[KEEL_SIGN_ROUNDS_MAX + 1]; /* after n rounds; n + 1: no difference is shown */
};

/* level: probability, 0 .. 1, that two that are alike ever count as different; for several pairs,
 * of each of them. */
void keel_sign_sequence_make(struct keel_sign_sequence *sequence, double level);

/* --- ratio --- */

/* How two candidates compare: the ratios of their times in the same round. Pure. */

struct keel_ratio {
    size_t rounds;    /* in which both have run */
    double median;    /* of time over the other's time; not-a-number without any */
    double low, high; /* interval of the median, by the sequence; 0 and infinity: too few rounds */
};

/* The ratio of `candidate` to `other`. Nothing is known after KEEL_SIGN_ROUNDS_MAX rounds. */
struct keel_ratio keel_ratio_of(const struct keel_samples *samples, size_t candidate, size_t other,
                                const struct keel_sign_sequence *sequence);

/* The two differ: 1 is outside of the interval. */
bool keel_ratio_differs(const struct keel_ratio *ratio);

/* Whatever the difference is, it is at most `part` of the time, by the interval. */
bool keel_ratio_alike(const struct keel_ratio *ratio, double part);

/* --- standing --- */

/* How candidates compare: each beside the first of them, the reference, and beside the best, and
 * whether more rounds could show more. Pure. */

enum keel_standing_verdict {
    KEEL_STANDING_BEST,
    KEEL_STANDING_SLOWER, /* than the best, by the sign test */
    KEEL_STANDING_ALIKE,  /* known to differ from the best by no more than what matters */
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
    size_t best; /* of least to_first; candidates: none has run beside the first */
    struct keel_standing of[KEEL_CANDIDATES_MAX];
};

/* `matters`: part of the time that a difference has to be to matter. */
void keel_standings_make(struct keel_standings *standings, const struct keel_samples *samples,
                         const struct keel_sign_sequence *sequence, double matters);

/* Somebody is best, and none is OPEN. */
bool keel_standings_settled(const struct keel_standings *standings,
                            const struct keel_samples *samples);

/* --- wording --- */

/* Ratios and their intervals as people read them. Pure. */

#define KEEL_WORDING_MAX 80

/* "12 % (10 to 14) faster", which takes 12 % less time, or "40 % (38 to 42) slower", which takes 40
 * % more; without brackets where no difference is shown; "as fast" for a ratio of 1. In
 * text[KEEL_WORDING_MAX], which is returned. */
const char *keel_wording_of(const struct keel_ratio *ratio, char *text);

/* "0.881 (0.860 to 0.901)". */
const char *keel_wording_ratio(const struct keel_ratio *ratio, char *text);

#endif
