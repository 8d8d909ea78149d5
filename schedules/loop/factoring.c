/* Factoring: batches of P equal chunks, each batch a fixed or a computed fraction of what is left.
 */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/schedule.h"

/* Half of the rest, in P chunks (PAPERS.md, "Loop schedules the papers build on"). */
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

#define ADAPTIVE_WEIGHTED "Banicescu, Velusamy & Devaprasad 2003; Carino & Banicescu 2008"

const struct keel_schedule keel_schedule_awf = {
    .name = "awf",
    .aliases = "wf",
    .summary = "adaptive weighted factoring, learning from one instance to the next",
    .formula = "as wf2, w from the pace in all instances before, later ones counting more",
    .use = "repeated loops on cores that differ and stay as they are",
    .source = ADAPTIVE_WEIGHTED,
    .claim = KEEL_CLAIM_WEIGHTED,
    .learns = KEEL_LEARNS_LOOPS,
    .batched = true,
    .size = fac2_size,
};

const struct keel_schedule keel_schedule_awf_b = {
    .name = "awf-b",
    .summary = "adaptive weighted factoring, learning with each batch",
    .formula = "as wf2, w from the pace in the chunks before, later ones counting more",
    .use = "cores that differ or are shared, loops that repeat or not",
    .source = ADAPTIVE_WEIGHTED,
    .claim = KEEL_CLAIM_WEIGHTED,
    .learns = KEEL_LEARNS_BATCHES,
    .batched = true,
    .size = fac2_size,
};

const struct keel_schedule keel_schedule_awf_c = {
    .name = "awf-c",
    .summary = "adaptive weighted factoring, learning with each chunk",
    .formula = "w_i ceil(R/2P), w from the pace in the chunks before",
    .use = "as awf-b, where rates change quickly",
    .source = ADAPTIVE_WEIGHTED,
    .claim = KEEL_CLAIM_WEIGHTED,
    .learns = KEEL_LEARNS_CHUNKS,
    .size = fac2_size,
};

const struct keel_schedule keel_schedule_awf_d = {
    .name = "awf-d",
    .summary = "awf-b that counts the time to get a chunk, too",
    .formula = "as awf-b, t_k with the overhead of chunk k",
    .use = "as awf-b, where chunks are small",
    .source = ADAPTIVE_WEIGHTED,
    .claim = KEEL_CLAIM_WEIGHTED,
    .learns = KEEL_LEARNS_BATCHES,
    .learns_overhead = true,
    .batched = true,
    .size = fac2_size,
};

const struct keel_schedule keel_schedule_awf_e = {
    .name = "awf-e",
    .summary = "awf-c that counts the time to get a chunk, too",
    .formula = "as awf-c, t_k with the overhead of chunk k",
    .use = "as awf-c, where chunks are small",
    .source = ADAPTIVE_WEIGHTED,
    .claim = KEEL_CLAIM_WEIGHTED,
    .learns = KEEL_LEARNS_CHUNKS,
    .learns_overhead = true,
    .size = fac2_size,
};

/* Adaptive factoring: each chunk sized by the mean and the deviation that each thread has measured.
 */

/* (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_i), with D = sum of sigma_j^2 / mu_j and T the time of
 * an iteration for the team, 1 / sum of 1 / mu_j (Banicescu & Liu 2000). Without deviation that is
 * the thread's whole share of the remaining iterations. At most half of it is given out: deviations
 * come from few chunks at first, and a thread may be interrupted later. */
static uint64_t af_take(const struct keel_claim_context *context)
{
    if (context->own.mean_ns == 0) {
        return keel_claim_context_probe(context);
    }
    double left_ns = (double)context->remaining / keel_claim_context_team_speed(context);
    double spread_ns = context->team.spread_ns;
    double size = (spread_ns + 2 * left_ns - sqrt(spread_ns * (spread_ns + 4 * left_ns))) /
                  (2 * context->own.mean_ns);

    return count_of(ceil(fmin(size, left_ns / context->own.mean_ns / 2)));
}

#define ADAPTIVE_FACTORING "Banicescu & Liu 2000; Carino & Banicescu 2008"

const struct keel_schedule keel_schedule_af = {
    .name = "af",
    .summary = "adaptive factoring: mean and deviation of each thread",
    .formula = "(D + 2TR - sqrt(D^2 + 4DTR))/2m, D sum of s^2/m, T 1/sum of 1/m; <= TR/2m",
    .use = "iterations that vary and cores that differ, loops that repeat or not",
    .source = ADAPTIVE_FACTORING,
    .claim = KEEL_CLAIM_SIZED,
    .learns = KEEL_LEARNS_CHUNKS,
    .take = af_take,
    .timed = true,
};

const struct keel_schedule keel_schedule_maf = {
    .name = "maf",
    .summary = "af that counts the time to get a chunk, too",
    .formula = "as af, chunk times with their overhead",
    .use = "as af, where chunks are small",
    .source = "Carino & Banicescu 2008; Korndorfer, Eleliemy, Mohammed & Ciorba 2022",
    .claim = KEEL_CLAIM_SIZED,
    .learns = KEEL_LEARNS_CHUNKS,
    .learns_overhead = true,
    .take = af_take,
    .timed = true,
};
