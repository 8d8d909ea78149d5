/* Adaptive factoring: each chunk sized by the mean and the deviation that each thread has measured.
 */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/least_chunk.h"
#include "schedules/loop/registry.h"

/* (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_i), with D = sum of sigma_j^2 / mu_j and T the time of
 * an iteration for the team, 1 / sum of 1 / mu_j (Banicescu & Liu 2000). Without deviation that is
 * the thread's whole share of what remains. Half of that is the most given out: deviations come
 * from few chunks at first, and a thread may be held up later. */
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
