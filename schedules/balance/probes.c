/* Times of messages. */
#include "schedules/balance/probes.h"

#include <math.h>

/* Timing may take this part of the time. */
#define SPENT_PART 0.001

void keel_probes_note(struct keel_probes *probes, enum keel_probe probe, double time_s)
{
    double *least_s = &probes->least_s[probe];

    *least_s = *least_s > 0 ? fmin(*least_s, time_s) : time_s;
}

bool keel_probes_are_doubtful(const struct keel_probes *probes,
                              const struct keel_decision *decision, uint64_t movements,
                              double now_s)
{
    bool for_cost_alone =
        decision->reason.cause == KEEL_CAUSE_COST && decision->reason.number[1] > 0;
    bool unshown = movements == 0 && decision->verdict != KEEL_DECISION_MOVE;

    return (for_cost_alone || unshown) && probes->spent_s <= SPENT_PART * now_s;
}
