/* Factoring: batches of P equal chunks, each batch a fixed or a computed fraction of what is left.
 */
#include <math.h>

#include "schedules/loop/arithmetic.h"
#include "schedules/loop/registry.h"

/* Half of what is left, in P chunks (papers/README.md, "Loop schedules the papers build on"). */
static uint64_t fac2_size(const struct keel_view *view)
{
    return div_ceil(view->remaining, 2 * view->threads);
}

const struct keel_schedule keel_schedule_fac2 = {
    .name = "fac2",
    .aliases = "mfac2",
    .summary = "factoring by halves",
    .formula = "batches of P chunks of ceil(R/2P)",
    .use = "a safe first choice for irregular loops: robust, few chunks, nothing to tune",
    .source = "Hummel, Schonberg & Flynn 1991",
    .batched = true,
    .size = fac2_size,
};

/* The largest batch that still evens out with high probability, from mean and deviation (Hummel,
 * Schonberg & Flynn 1992): b = P sigma / (2 sqrt(R) mu); x = 1 + b^2 + b sqrt(b^2 + 2) for the
 * first batch, 2 + b^2 + b sqrt(b^2 + 4) for later ones. */
static uint64_t fac_size(const struct keel_view *view)
{
    double remaining = (double)view->remaining;
    double variation = view->spec->value[KEEL_SIGMA].real / view->spec->value[KEEL_MU].real;
    double b = (double)view->threads / (2 * sqrt(remaining)) * variation;
    double base = view->step == 0 ? 1 : 2;
    double x = base + b * b + b * sqrt(b * b + 2 * base);

    return count_of(ceil(remaining / (x * (double)view->threads)));
}

const struct keel_schedule keel_schedule_fac = {
    .name = "fac",
    .aliases = "mfac",
    .summary = "factoring with the mean and deviation of iteration times",
    .formula = "batches of P chunks of ceil(R/xP); x from sigma/mu, P and R",
    .use = "repeated loops whose iteration times vary independently of their place",
    .source = "Hummel, Schonberg & Flynn 1992",
    .parameters = KEEL_BIT(KEEL_MU) | KEEL_BIT(KEEL_SIGMA),
    .measured = KEEL_BIT(KEEL_MU) | KEEL_BIT(KEEL_SIGMA),
    .batched = true,
    .size = fac_size,
};

const struct keel_schedule keel_schedule_wf2 = {
    .name = "wf2",
    .summary = "weighted factoring by halves",
    .formula = "thread i takes w_i/P of the next batch of P ceil(R/2P), weights w scaled to sum P",
    .use = "cores of known, different speed (KEEL_WEIGHTS)",
    .source = "Hummel, Schmidt, Uma & Wein 1996",
    .claim = KEEL_CLAIM_WEIGHTED,
    .batched = true,
    .size = fac2_size,
};
