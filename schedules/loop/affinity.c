/* Schedules of equal blocks, for caches and pages: each thread begins with the same part of the
 * loop in each instance, and only idle threads take iterations from other parts. */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

/* --- affinity scheduling --- */

static uint64_t part_per_thread(const struct keel_claim_context *context)
{
    return div_ceil(context->remaining, context->threads);
}

static uint64_t afs_steal(const struct keel_claim_context *context, const struct keel_pace *victim)
{
    (void)victim;
    return part_per_thread(context);
}

const struct keel_schedule keel_schedule_afs = {
    .name = "afs",
    .aliases = "affinity",
    .summary = "affinity scheduling",
    .formula = "ceil(own/P) of the thread's block; then ceil(most/P) of the fullest block",
    .use = "repeated loops over the same data, equal cores",
    .source = "Markatos & LeBlanc 1992",
    .claim = KEEL_CLAIM_BLOCKS,
    .take = part_per_thread,
    .steal = afs_steal,
    .steals_one_chunk = true,
    .in_order = &keel_schedule_fac2,
};

/* --- locality-based dynamic scheduling --- */

static uint64_t half_part_of_loop(const struct keel_claim_context *context)
{
    return div_ceil(context->loop_remaining, 2 * context->threads);
}

static uint64_t lds_steal(const struct keel_claim_context *context, const struct keel_pace *victim)
{
    (void)victim;
    return half_part_of_loop(context);
}

const struct keel_schedule keel_schedule_lds = {
    .name = "lds",
    .summary = "locality-based dynamic scheduling",
    .formula = "ceil(R/2P) of the thread's block; then as much of the fullest block",
    .use = "as afs; chunks of all threads get smaller together",
    .source = "Li, Tandri, Stumm & Sevcik 1993",
    .claim = KEEL_CLAIM_BLOCKS,
    .take = half_part_of_loop,
    .steal = lds_steal,
    .counts_loop = true,
    .steals_one_chunk = true,
    .in_order = &keel_schedule_fac2,
};

/* --- blocks with stealing --- */

#define STEAL_PARTS 256 /* chunks of a block if no size is given */

static uint64_t steal_take(const struct keel_claim_context *context)
{
    uint64_t given = context->spec->value[KEEL_CHUNK].count;

    return given > 0 ? given : div_ceil(context->iterations, context->threads * STEAL_PARTS);
}

const struct keel_schedule keel_schedule_steal = {
    .name = "steal",
    .aliases = "static_steal",
    .summary = "equal blocks with stealing",
    .formula = "k of the thread's block (N/256P if not given); then half of the fullest block",
    .use = "as afs; cheap chunks, as threads share nothing until one runs out",
    .source = "Blumofe & Leiserson 1999; static_steal of LLVM's runtime",
    .positional = {KEEL_CHUNK},
    .positionals = 1,
    .claim = KEEL_CLAIM_BLOCKS,
    .weighs_blocks = true,
    .take = steal_take,
    .in_order = &keel_schedule_fac2,
};

/* --- iCh --- */

#define NORMAL_BAND (1.0 / 3) /* around the mean progress */
#define DIVISOR_MAX (UINT64_C(1) << 32)

static uint64_t ich_take(const struct keel_claim_context *context)
{
    return div_ceil(context->remaining, context->divisor);
}

/* A thread that has done more than the others has cheap iterations and can afford small chunks,
 * which leave more to steal from it; one that has done less takes larger ones. */
static void ich_adapt(struct keel_claim_context *context)
{
    double done = (double)context->done, band = NORMAL_BAND * context->progress;

    if (done > context->progress + band) {
        context->divisor = min_u64(2 * context->divisor, DIVISOR_MAX);
    } else if (done < context->progress - band) {
        context->divisor = max_u64(context->divisor / 2, 1);
    }
}

const struct keel_schedule keel_schedule_ich = {
    .name = "ich",
    .summary = "irregular chunks: blocks with stealing, chunk sizes by progress",
    .formula = "ceil(own/d), d = P at first, doubled or halved by progress; then half of another's",
    .use = "irregular iterations, nothing to tune",
    .source = "Booth & Lane 2020",
    .claim = KEEL_CLAIM_BLOCKS,
    .take = ich_take,
    .adapt = ich_adapt,
    .in_order = &keel_schedule_fac2,
};
