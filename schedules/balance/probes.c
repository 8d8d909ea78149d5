/* Times of messages. */
#include "schedules/balance/probes.h"

#include <math.h>

/* Times get shorter if one is at most this part of what it was; so often in a row they may not,
 * then they are taken for true. */
#define SHORTER 0.8
#define IN_VAIN 3

void keel_probes_forget(struct keel_probes *probes)
{
    for (int i = 0; i < KEEL_PROBES; i++) {
        probes->least_s[i] = 0;
    }
}

void keel_probes_note(struct keel_probes *probes, enum keel_probe probe, double time_s)
{
    double *least_s = &probes->least_s[probe];

    *least_s = *least_s > 0 ? fmin(*least_s, time_s) : time_s;
}

void keel_probes_agree(struct keel_probes *probes, double full_s, double cost_s)
{
    bool shorter = !(cost_s > 0) || full_s <= SHORTER * cost_s;

    probes->in_vain = shorter ? 0 : probes->in_vain + 1;
}

bool keel_probes_are_doubtful(const struct keel_probes *probes,
                              const struct keel_decision *decision, uint64_t movements)
{
    bool for_cost_alone =
        decision->reason.cause == KEEL_CAUSE_COST && decision->reason.number[1] > 0;

    return for_cost_alone && movements == 0 && probes->in_vain < IN_VAIN;
}
