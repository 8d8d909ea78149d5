/* Following the best of several candidates. */
#include "schedules/replay/leader.h"

void keel_leader_begin(struct keel_leader *leader, unsigned candidates, unsigned first,
                       double memory)
{
    *leader = (struct keel_leader){.candidates = candidates, .followed = first, .memory = memory};
}

void keel_leader_note(struct keel_leader *leader, double span_s, const double *loss_s)
{
    leader->window_s = leader->memory * leader->window_s + span_s;
    for (unsigned j = 0; j < leader->candidates; j++) {
        leader->recent_s[j] = leader->memory * leader->recent_s[j] + loss_s[j];
        leader->lost_s[j] += loss_s[j];
    }
}

unsigned keel_leader_choose(struct keel_leader *leader, const double *cost_s, double hold_s)
{
    unsigned best = leader->followed;
    double own = leader->recent_s[best] + cost_s[best], least = own - hold_s;

    for (unsigned j = 0; j < leader->candidates; j++) {
        double sum = leader->recent_s[j] + cost_s[j];
        if (j != leader->followed && sum < least) {
            best = j;
            least = sum;
        }
    }
    leader->followed = best;
    return best;
}
