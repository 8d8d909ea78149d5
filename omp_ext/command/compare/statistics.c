/* What times of candidates in rounds say. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/compare/statistics.h"
#include "omp_ext/command/parts/command_parts.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- medians and quartiles --- */

size_t keel_order_sort(double *number, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (!isnan(number[i])) {
            number[kept++] = number[i];
        }
    }
    qsort(number, kept, sizeof *number, compare_reals);
    return kept;
}

double keel_order_quantile(const double *sorted, size_t count, double part)
{
    if (count == 0) {
        return NAN;
    }
    double place = part * (double)(count - 1);
    size_t below = (size_t)place;
    double rest = place - (double)below;
    return rest > 0 ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
}

/* --- times --- */

void keel_samples_note(struct keel_samples *samples, size_t round, size_t candidate, double time_s)
{
    if (samples->time_s == NULL) { /* pages that no round uses cost nothing */
        samples->time_s = keel_command_memory(KEEL_SIGN_ROUNDS_MAX * samples->candidates,
                                              sizeof *samples->time_s);
    }
    for (; samples->rounds <= round; samples->rounds++) {
        for (size_t i = 0; i < samples->candidates; i++) {
            samples->time_s[samples->rounds * samples->candidates + i] = NAN;
        }
    }
    samples->time_s[round * samples->candidates + candidate] = time_s;
}

double keel_samples_at(const struct keel_samples *samples, size_t round, size_t candidate)
{
    return round < samples->rounds ? samples->time_s[round * samples->candidates + candidate] : NAN;
}

/* Copies the times of a candidate that are there, sorted; how many. */
static size_t sorted_times(const struct keel_samples *samples, size_t candidate,
                           double time_s[KEEL_SIGN_ROUNDS_MAX])
{
    for (size_t i = 0; i < samples->rounds; i++) {
        time_s[i] = keel_samples_at(samples, i, candidate);
    }
    return keel_order_sort(time_s, samples->rounds);
}

/* --- when two count as different --- */

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

/* --- ratios --- */

/* Of the first rounds in which both have run, sorted; how many. */
static size_t take_ratios(const struct keel_samples *samples, size_t candidate, size_t other,
                          double ratio[KEEL_SIGN_ROUNDS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < samples->rounds && count < KEEL_SIGN_ROUNDS_MAX; i++) {
        double time_s = keel_samples_at(samples, i, candidate);
        double other_s = keel_samples_at(samples, i, other);
        if (time_s > 0 && other_s > 0) {
            ratio[count++] = time_s / other_s;
        }
    }
    return keel_order_sort(ratio, count);
}

struct keel_ratio keel_ratio_of(const struct keel_samples *samples, size_t candidate, size_t other,
                                const struct keel_sign_sequence *sequence)
{
    double sorted[KEEL_SIGN_ROUNDS_MAX];
    size_t rounds = take_ratios(samples, candidate, other, sorted);
    struct keel_ratio ratio = {rounds, keel_order_quantile(sorted, rounds, 0.5), 0, INFINITY};
    unsigned wins = sequence->wins[rounds];

    /* A median below the wins-th largest would have lost that many rounds; so would one above. */
    if (wins <= rounds) {
        ratio.low = sorted[rounds - wins];
        ratio.high = sorted[wins - 1];
    }
    return ratio;
}

bool keel_ratio_differs(const struct keel_ratio *ratio)
{
    return ratio->low > 1 || ratio->high < 1;
}

bool keel_ratio_alike(const struct keel_ratio *ratio, double part)
{
    return ratio->low >= 1 / (1 + part) && ratio->high <= 1 + part;
}

/* --- where candidates are --- */

/* The first candidate that has run at all; 0: none. */
static size_t first_of(const struct keel_samples *samples)
{
    for (size_t i = 0; i < samples->candidates; i++) {
        for (size_t round = 0; round < samples->rounds; round++) {
            if (!isnan(keel_samples_at(samples, round, i))) {
                return i;
            }
        }
    }
    return 0;
}

static struct keel_standing begin(const struct keel_samples *samples, size_t candidate,
                                  size_t first, const struct keel_sign_sequence *sequence)
{
    double sorted[KEEL_SIGN_ROUNDS_MAX];
    size_t runs = sorted_times(samples, candidate, sorted);

    return (struct keel_standing){
        .verdict = KEEL_STANDING_NONE,
        .runs = runs,
        .median_s = keel_order_quantile(sorted, runs, 0.5),
        .quarter_s = keel_order_quantile(sorted, runs, 0.25),
        .three_s = keel_order_quantile(sorted, runs, 0.75),
        .to_first = keel_ratio_of(samples, candidate, first, sequence),
        .to_best = {.median = NAN, .high = INFINITY},
        .regret = NAN,
    };
}

static size_t best_of(const struct keel_standing *of, size_t candidates)
{
    size_t best = candidates;

    for (size_t i = 0; i < candidates; i++) {
        if (of[i].to_first.rounds > 0 &&
            (best == candidates || of[i].to_first.median < of[best].to_first.median)) {
            best = i;
        }
    }
    return best;
}

static enum keel_standing_verdict verdict_of(const struct keel_ratio *to_best, double matters)
{
    if (to_best->low > 1) {
        return KEEL_STANDING_SLOWER;
    }
    return keel_ratio_alike(to_best, matters) ? KEEL_STANDING_ALIKE : KEEL_STANDING_OPEN;
}

void keel_standings_make(struct keel_standings *standings, const struct keel_samples *samples,
                         const struct keel_sign_sequence *sequence, double matters)
{
    struct keel_standing *of = standings->of;
    size_t first = first_of(samples);

    for (size_t i = 0; i < samples->candidates; i++) {
        of[i] = begin(samples, i, first, sequence);
    }
    standings->best = best_of(of, samples->candidates);
    for (size_t i = 0; i < samples->candidates; i++) {
        if (of[i].to_first.rounds > 0) {
            of[i].to_best = keel_ratio_of(samples, i, standings->best, sequence);
            of[i].regret = of[i].to_first.median / of[standings->best].to_first.median - 1;
            of[i].verdict =
                i == standings->best ? KEEL_STANDING_BEST : verdict_of(&of[i].to_best, matters);
        }
    }
}

bool keel_standings_settled(const struct keel_standings *standings,
                            const struct keel_samples *samples)
{
    for (size_t i = 0; i < samples->candidates; i++) {
        if (standings->of[i].verdict == KEEL_STANDING_OPEN) {
            return false;
        }
    }
    return standings->best < samples->candidates;
}

/* --- words --- */

/* As many digits as the smallest of the three wants. */
static int digits_of(double percent)
{
    return percent < 0.95 ? 2 : percent < 9.5 ? 1 : 0;
}

const char *keel_wording_of(const struct keel_ratio *ratio, char *text)
{
    double sign = ratio->median < 1 ? -1 : 1;
    double percent = sign * 100 * (ratio->median - 1);
    double near = sign * 100 * ((sign < 0 ? ratio->high : ratio->low) - 1);
    double far = sign * 100 * ((sign < 0 ? ratio->low : ratio->high) - 1);
    int digits = digits_of(keel_ratio_differs(ratio) ? fmin(percent, near) : percent);
    const char *word = sign < 0 ? "faster" : "slower";

    if (ratio->median == 1) {
        snprintf(text, KEEL_WORDING_MAX, "as fast");
    } else if (keel_ratio_differs(ratio)) {
        snprintf(text, KEEL_WORDING_MAX, "%.*f %% (%.*f to %.*f) %s", digits, percent, digits, near,
                 digits, far, word);
    } else {
        snprintf(text, KEEL_WORDING_MAX, "%.*f %% %s", digits, percent, word);
    }
    return text;
}

const char *keel_wording_ratio(const struct keel_ratio *ratio, char *text)
{
    if (isnan(ratio->median)) {
        snprintf(text, KEEL_WORDING_MAX, "-");
    } else if (isfinite(ratio->high)) {
        snprintf(text, KEEL_WORDING_MAX, "%.3f (%.3f to %.3f)", ratio->median, ratio->low,
                 ratio->high);
    } else {
        snprintf(text, KEEL_WORDING_MAX, "%.3f", ratio->median);
    }
    return text;
}
