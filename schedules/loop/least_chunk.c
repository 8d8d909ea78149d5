/* The smallest chunk that is worth its claim. */
#include "schedules/loop/least_chunk.h"

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
