/* How far each candidate is from the best one in each loop that matters. */
#include "omp_ext/command/compare/loop_regret.h"

#include <math.h>
#include <stdlib.h>

/* Under the candidate of most time in it that has run: the reference's own, unless that has no such
 * loop. */
static double share_of(const struct keel_standings *loop, const struct keel_standings *program,
                       size_t candidates)
{
    for (size_t i = 0; i < candidates; i++) {
        if (loop->of[i].runs > 0 && program->of[i].median_s > 0) {
            return loop->of[i].median_s / program->of[i].median_s;
        }
    }
    return 0;
}

static int by_share(const void *a, const void *b)
{
    const struct keel_loop_regret *first = a, *second = b;

    return (first->share < second->share) - (first->share > second->share);
}

bool keel_loop_regrets_make(struct keel_loop_regrets *regrets, const struct keel_session *session,
                            const struct keel_standings *program, double least)
{
    *regrets =
        (struct keel_loop_regrets){.of = calloc(session->loops.count + 1, sizeof *regrets->of)};
    for (size_t i = 0; regrets->of != NULL && i < session->loops.count; i++) {
        struct keel_loop_regret next = {.loop = &session->loops.of[i]};
        if (!keel_standings_make(&next.standings, &next.loop->samples, &session->sequence,
                                 session->request->matters)) {
            return false;
        }
        next.share = share_of(&next.standings, program, session->candidates->count);
        if (next.share >= least) {
            regrets->of[regrets->count++] = next;
        } else {
            keel_standings_free(&next.standings);
        }
    }
    if (regrets->of != NULL) {
        qsort(regrets->of, regrets->count, sizeof *regrets->of, by_share);
    }
    return regrets->of != NULL;
}

double keel_loop_regrets_largest(const struct keel_loop_regrets *regrets, size_t candidate,
                                 size_t *loop)
{
    double largest = NAN;

    for (size_t i = 0; i < regrets->count; i++) {
        double regret = regrets->of[i].standings.of[candidate].regret;
        if (!isnan(regret) && !(largest >= regret)) {
            largest = regret;
            *loop = i;
        }
    }
    return largest;
}

size_t keel_loop_regrets_minimax(const struct keel_loop_regrets *regrets, size_t candidates)
{
    size_t found = candidates, unused;
    double least = INFINITY;

    for (size_t i = 0; i < candidates; i++) {
        double largest = keel_loop_regrets_largest(regrets, i, &unused);
        if (largest < least) {
            least = largest;
            found = i;
        }
    }
    return found;
}

void keel_loop_regrets_free(struct keel_loop_regrets *regrets)
{
    for (size_t i = 0; i < regrets->count; i++) {
        keel_standings_free(&regrets->of[i].standings);
    }
    free(regrets->of);
    *regrets = (struct keel_loop_regrets){0};
}
