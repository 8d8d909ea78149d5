/* Asymmetric iterative distribution: sampling, then one large share per thread by its speed. */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/schedule.h"

static uint64_t small_chunk(const struct keel_claim_context *context)
{
    uint64_t given = context->spec->value[KEEL_CHUNK].count;

    return given > 0 ? given : keel_claim_context_probe(context);
}

/* The missing part of the thread's share, once all have been measured. Before and after that, small
 * chunks: no thread waits for the slowest sample, and the ends even out. */
static uint64_t aid_take(const struct keel_claim_context *context)
{
    if (context->own.mean_ns == 0 || context->team.measured < context->threads) {
        return small_chunk(context);
    }
    double part = context->spec->value[KEEL_RATIO].real;
    double share = part * (double)context->iterations * keel_claim_context_share(context);
    double missing = share - (double)context->begun;

    return max_u64(small_chunk(context), count_of(ceil(missing)));
}

const struct keel_schedule keel_schedule_aid = {
    .name = "aid",
    .summary = "asymmetric iterative distribution: samples, then shares",
    .formula =
        "k (N/128P if not given) until all are measured; then ratio N s_i/(sum of s); then k again",
    .use = "equal iterations on cores of unknown, different speed",
    .source = "Saez, Castro & Prieto-Matias 2020 (AID-hybrid)",
    .positional = {KEEL_CHUNK},
    .positionals = 1,
    .parameters = KEEL_BIT(KEEL_RATIO),
    .ratio = 0.8,
    .claim = KEEL_CLAIM_SIZED,
    .learns = KEEL_LEARNS_CHUNKS,
    .take = aid_take,
    .timed = true,
};
