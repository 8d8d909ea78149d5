/* Chunks of one size: blocks, a given size, or a computed one. */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

/* Static scheduling: every thread knows its chunks from the start; nothing is shared. */

static void static_begin(struct keel_view *view)
{
    view->min_chunk = max_u64(view->min_chunk, view->spec->value[KEEL_CHUNK].count);
}

/* Blocks that differ by at most one iteration, the larger first, as libgomp divides a loop. With a
 * given k, and if blocks would be below the minimum, every chunk has min_chunk, and step s belongs
 * to thread s mod P. */
static uint64_t static_size(const struct keel_view *view)
{
    if (view->spec->given & KEEL_BIT(KEEL_CHUNK)) {
        return view->min_chunk;
    }
    return view->iterations / view->threads + (view->step < view->iterations % view->threads);
}

const struct keel_schedule keel_schedule_static = {
    .name = "static",
    .summary = "equal blocks, or chunks dealt in turn",
    .formula = "N/P each; with k: chunk j of k iterations belongs to thread j mod P",
    .use = "iterations and cores are equal; the cheapest schedule",
    .source = "OpenMP 5.0, 2.9.2",
    .states_min = true,
    .positional = {KEEL_CHUNK},
    .positionals = 1,
    .claim = KEEL_CLAIM_OWN,
    .begin = static_begin,
    .size = static_size,
};

/* Self-scheduling in chunks of one fixed, given size. */

const struct keel_schedule keel_schedule_ss = {
    .name = "ss",
    .summary = "self-scheduling, one iteration at a time",
    .formula = "1",
    .use = "iterations are long (over some microseconds) and very unequal",
    .source = "Tang & Yew 1986",
    .states_min = true,
    .shape = KEEL_UNIFORM,
};

static uint64_t css_size(const struct keel_view *view)
{
    return view->spec->value[KEEL_CHUNK].count;
}

const struct keel_schedule keel_schedule_css = {
    .name = "css",
    .aliases = "dynamic",
    .summary = "chunk self-scheduling",
    .formula = "k (1 if not given)",
    .use = "a good chunk size is known",
    .source = "Kruskal & Weiss 1985",
    .states_min = true,
    .positional = {KEEL_CHUNK},
    .positionals = 1,
    .shape = KEEL_UNIFORM,
    .size = css_size,
};

/* Fixed-size chunking: the one chunk size that balances overhead against imbalance. */

/* k = (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3)  (Kruskal & Weiss 1985). Without deviation, or
 * with one thread, there is no reason for more than P chunks. */
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

/* As many chunks as factoring would use, of equal size: with q = ceil(N/P), k = q ln 2 / ln q,
 * rounded (Banicescu, Ciorba & Srivastava 2013). */
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
