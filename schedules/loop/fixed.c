/* Fixed-size chunking: the one chunk size that balances overhead against imbalance. */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

/* k = (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3)  (Kruskal & Weiss 1985). Without any deviation, or
 * with one thread, nothing argues for more than P chunks. */
static uint64_t fsc_size(const struct keel_view *view)
{
    double iterations = (double)view->iterations;
    double threads = (double)view->threads;
    double spread = view->spec->value[KEEL_SIGMA].real * threads * sqrt(log(threads));
    uint64_t share = div_ceil(view->iterations, view->threads);

    if (!(spread > 0)) {
        return share;
    }
    return min_u64(
        share, count_of(pow(sqrt(2) * iterations * view->spec->value[KEEL_OVERHEAD].real / spread,
                            2.0 / 3)));
}

const struct keel_schedule keel_schedule_fsc = {
    .name = "fsc",
    .summary = "fixed-size chunking with measured overhead and deviation",
    .formula = "(sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3), at most ceil(N/P)",
    .use = "repeated loops with independent iteration times, when equal chunks are wanted",
    .source = "Kruskal & Weiss 1985",
    .parameters = KEEL_BIT(KEEL_SIGMA) | KEEL_BIT(KEEL_OVERHEAD),
    .measured = KEEL_BIT(KEEL_SIGMA) | KEEL_BIT(KEEL_OVERHEAD),
    .shape = KEEL_UNIFORM,
    .size = fsc_size,
};

/* As many chunks as factoring would use, all alike: with q = ceil(N/P), k = q ln 2 / ln q, rounded
 * (Banicescu, Ciorba & Srivastava 2013). */
static uint64_t mfsc_size(const struct keel_view *view)
{
    double share = (double)div_ceil(view->iterations, view->threads);

    return share < 2 ? 1 : count_of(0.55 + share * log(2) / log(share));
}

const struct keel_schedule keel_schedule_mfsc = {
    .name = "mfsc",
    .summary = "fixed-size chunking with as many chunks as factoring",
    .formula = "q ln 2 / ln q, q = ceil(N/P)",
    .use = "equal chunks, nothing measured",
    .source = "Banicescu, Ciorba & Srivastava 2013",
    .shape = KEEL_UNIFORM,
    .size = mfsc_size,
};
