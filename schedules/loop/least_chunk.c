/* The smallest chunk that is worth its claim. */
#include "schedules/loop/schedule.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

#define LEAST_MAX (UINT64_C(1) << 40) /* so that products with it do not wrap */

static bool is_known(double time_ns)
{
    return time_ns > 0 && time_ns < INFINITY;
}

uint64_t keel_least_chunk(double claim_ns, double iteration_ns)
{
    if (!is_known(claim_ns) || !is_known(iteration_ns)) {
        return 1;
    }
    return min_u64(max_u64(1, count_of(ceil(KEEL_LEAST_CLAIMS * claim_ns / iteration_ns))),
                   LEAST_MAX);
}

uint64_t keel_least_chunk_within(uint64_t least, uint64_t iterations, uint64_t threads)
{
    return max_u64(1, min_u64(least, iterations / threads / KEEL_LEAST_PARTS));
}

bool keel_least_chunk_is_stated(const struct keel_spec *spec)
{
    const unsigned says = KEEL_BIT(KEEL_MIN) | KEEL_BIT(KEEL_CHUNK) | KEEL_BIT(KEEL_LAST);

    return spec->schedule->states_min || (spec->given & says) != 0;
}

/* --- values that several schedules compute from a context --- */

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
