/* What schedules work out from a turn. */
#include "schedules/loop/claim_context.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/least_chunk.h"

#define PROBE_PARTS 128 /* of a thread's equal share */
#define CLAIM_NS 100.0  /* while nothing has been measured */

uint64_t keel_turn_probe(const struct keel_turn *turn)
{
    return max_u64(1, turn->iterations / turn->threads / PROBE_PARTS);
}

double keel_turn_team_speed(const struct keel_turn *turn)
{
    double measured = (double)turn->team.measured, threads = (double)turn->threads;

    /* its own pace may not have reached the others' sums yet */
    return measured > 0 ? turn->team.speed_per_ns * threads / measured
                        : threads / turn->own.mean_ns;
}

double keel_turn_share(const struct keel_turn *turn)
{
    return fmin(1, 1 / (turn->own.mean_ns * keel_turn_team_speed(turn)));
}

uint64_t keel_turn_grain(const struct keel_turn *turn)
{
    double claim_ns = turn->overhead_ns > 0 ? turn->overhead_ns : CLAIM_NS;

    return keel_least_chunk(claim_ns, turn->own.mean_ns);
}
