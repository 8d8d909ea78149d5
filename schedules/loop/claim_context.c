/* What schedules work out from a context. */
#include "schedules/loop/claim_context.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/least_chunk.h"

#define PROBE_PARTS 128 /* of a thread's equal share */
#define CLAIM_NS 100.0  /* while nothing has been measured */

uint64_t keel_claim_context_probe(const struct keel_claim_context *context)
{
    return max_u64(1, context->iterations / context->threads / PROBE_PARTS);
}

double keel_claim_context_team_speed(const struct keel_claim_context *context)
{
    double threads = (double)context->threads;
    double measured =
        context->team_weight > 0 ? context->team_weight : (double)context->team.measured;
    double own = context->own_weight > 0 ? context->own_weight : 1;

    /* its own pace may not have reached the others' sums yet */
    return measured > 0 ? context->team.speed_per_ns * threads / measured
                        : threads / (context->own.mean_ns * own);
}

double keel_claim_context_share(const struct keel_claim_context *context)
{
    return fmin(1, 1 / (context->own.mean_ns * keel_claim_context_team_speed(context)));
}

uint64_t keel_claim_context_least_chunk(const struct keel_claim_context *context)
{
    double claim_ns = context->overhead_ns > 0 ? context->overhead_ns : CLAIM_NS;

    return keel_least_chunk(claim_ns, context->own.mean_ns);
}
