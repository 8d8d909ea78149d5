/* How soon shares that were right are wrong. */
#include "schedules/rows/drift.h"

#include <math.h>

/* Of what was lost before, this part counts beside what is lost now: some four times. */
#define KEPT 0.75

/* Time of the last worker, by the work of all. */
static double longest(uint32_t workers, const double *work, const double *rate)
{
    double most = 0, all = 0;

    for (uint32_t w = 0; w < workers; w++) {
        most = fmax(most, work[w] / rate[w]);
        all += work[w];
    }
    return all > 0 ? most / all : 0;
}

double keel_drift_lost(uint32_t workers, const double *work, const double *expected,
                       const double *rate)
{
    double is = longest(workers, work, rate), was_to_be = longest(workers, expected, rate);
    double lost = 1 - was_to_be / is;

    return was_to_be > 0 && isfinite(lost) ? lost : 0;
}

void keel_drift_note(struct keel_drift *drift, double lost, double span_s)
{
    if (span_s > 0 && isfinite(span_s)) {
        drift->lost = KEPT * drift->lost + lost;
        drift->span_s = KEPT * drift->span_s + span_s;
    }
}

double keel_drift_per_s(const struct keel_drift *drift)
{
    return drift->span_s > 0 ? fmax(drift->lost / drift->span_s, 0) : 0;
}
