/* Times of messages. */
#include "schedules/balance/probes.h"

#include <math.h>

/* Times get shorter if one is at most this part of what it was; so often in a row they may not,
 * then they are taken again less often. */
#define SHORTER 0.8
#define IN_VAIN 3

/* Then timing may take this part of the time: where messages have waited; where they have not. */
#define SPENT_PART 0.005
#define SPENT_PART_QUIET 0.0005

/* Rounds that differ by more times than this have waited. */
#define DIFFER 2

void keel_probes_forget(struct keel_probes *probes)
{
    for (int i = 0; i < KEEL_PROBES; i++) {
        probes->least_s[i] = 0;
    }
    probes->most_s = 0;
}

void keel_probes_note(struct keel_probes *probes, enum keel_probe probe, double time_s)
{
    double *least_s = &probes->least_s[probe];

    *least_s = *least_s > 0 ? fmin(*least_s, time_s) : time_s;
    if (probe == KEEL_PROBE_FULL) {
        probes->most_s = fmax(probes->most_s, time_s);
    }
}

double keel_probes_spread(const struct keel_probes *probes)
{
    double least_s = probes->least_s[KEEL_PROBE_FULL];

    return least_s > 0 && isfinite(probes->most_s) ? fmax(1, probes->most_s / least_s) : 1;
}

bool keel_probes_differ(double spread)
{
    return spread > DIFFER;
}

void keel_probes_agree(struct keel_probes *probes, const struct keel_probes_most *most,
                       double cost_s)
{
    bool shorter = !(cost_s > 0) || most->full_s <= SHORTER * cost_s;

    probes->in_vain = shorter ? 0 : probes->in_vain + 1;
    probes->spread = most->spread;
    probes->spent_s += most->spent_s > 0 && isfinite(most->spent_s) ? most->spent_s : 0;
}

bool keel_probes_are_doubtful(const struct keel_probes *probes,
                              const struct keel_decision *decision, uint64_t movements,
                              double now_s)
{
    double part = keel_probes_differ(probes->spread) ? SPENT_PART : SPENT_PART_QUIET;
    bool for_cost_alone =
        decision->reason.cause == KEEL_CAUSE_COST && decision->reason.number[1] > 0;

    bool at_once = movements == 0 && probes->in_vain < IN_VAIN;
    bool unshown = movements == 0 && decision->verdict != KEEL_DECISION_MOVE;

    if (for_cost_alone && at_once) {
        return true;
    }
    return (for_cost_alone || (unshown && keel_probes_differ(probes->spread))) &&
           probes->spent_s <= part * now_s;
}
