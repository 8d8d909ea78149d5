/* How many ranks an idle rank looks at, at a time. */
#include "schedules/objects/neighbourhood.h"

#include <math.h>
#include <stdbool.h>

#include "schedules/arithmetic/arithmetic.h"

static bool is_time(double value)
{
    return value > 0 && value < INFINITY;
}

static double search_s(const struct keel_neighbourhood_case *measured, double empty, uint32_t d)
{
    return (1 + fmax(ceil(empty / d), 1)) / 2 * (d * measured->message_s + measured->wait_s);
}

uint32_t keel_neighbourhood(const struct keel_neighbourhood_case *measured, uint32_t most,
                            uint32_t otherwise)
{
    uint32_t bound = (uint32_t)max_u64(1, min_u64(most, measured->others));

    if (!is_time(measured->message_s) || !is_time(measured->wait_s)) {
        return (uint32_t)max_u64(1, min_u64(otherwise, bound));
    }
    double part = measured->empty > 0 ? fmin(measured->empty, 1) : 0;
    double empty = part * measured->others;
    uint32_t best = 1;
    for (uint32_t d = 2; d <= bound; d++) {
        best = search_s(measured, empty, d) < search_s(measured, empty, best) ? d : best;
    }
    return best;
}
