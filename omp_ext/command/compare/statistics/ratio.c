/* How two candidates compare. */
#include "omp_ext/command/compare/statistics/ratio.h"

#include <math.h>

#include "omp_ext/command/compare/statistics/order.h"

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

    /* A median below the wins-th largest would have lost that many rounds; likewise above. */
    if (wins <= rounds) {
        ratio.low = sorted[rounds - wins];
        ratio.high = sorted[wins - 1];
    }
    return ratio;
}

bool keel_ratio_told(const struct keel_ratio *ratio)
{
    return ratio->low > 1 || ratio->high < 1;
}

bool keel_ratio_alike(const struct keel_ratio *ratio, double part)
{
    return ratio->low >= 1 / (1 + part) && ratio->high <= 1 + part;
}
