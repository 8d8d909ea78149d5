/* Where candidates stand. */
#include "omp_ext/command/compare/statistics/standing.h"

#include <math.h>
#include <stdlib.h>

#include "omp_ext/command/compare/statistics/order.h"

/* The first candidate that has run at all; 0: nobody. */
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
                                  size_t first, const struct keel_sign_sequence *sequence,
                                  double *room)
{
    size_t runs = keel_samples_sorted(samples, candidate, room);

    return (struct keel_standing){
        .verdict = KEEL_STANDING_NONE,
        .runs = runs,
        .median_s = keel_order_quantile(room, runs, 0.5),
        .quarter_s = keel_order_quantile(room, runs, 0.25),
        .three_s = keel_order_quantile(room, runs, 0.75),
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

bool keel_standings_make(struct keel_standings *standings, const struct keel_samples *samples,
                         const struct keel_sign_sequence *sequence, double matters)
{
    double *room = calloc(samples->rounds + 1, sizeof *room);
    struct keel_standing *of = calloc(samples->candidates, sizeof *of);
    size_t first = first_of(samples);

    for (size_t i = 0; room != NULL && of != NULL && i < samples->candidates; i++) {
        of[i] = begin(samples, i, first, sequence, room);
    }
    bool done = room != NULL && of != NULL;
    free(room);
    *standings = (struct keel_standings){done ? best_of(of, samples->candidates) : 0, of};
    for (size_t i = 0; done && i < samples->candidates; i++) {
        if (of[i].to_first.rounds > 0) {
            of[i].to_best = keel_ratio_of(samples, i, standings->best, sequence);
            of[i].regret = of[i].to_first.median / of[standings->best].to_first.median - 1;
            of[i].verdict =
                i == standings->best ? KEEL_STANDING_BEST : verdict_of(&of[i].to_best, matters);
        }
    }
    return done;
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

void keel_standings_free(struct keel_standings *standings)
{
    free(standings->of);
    standings->of = NULL;
}
