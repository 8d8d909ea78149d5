/* How present a rank is on its processor while it waits for others. */
#include "schedules/objects/presence.h"

#include <math.h>

void keel_presence_note(struct keel_presence *presence, double gap_s)
{
    if (!(gap_s >= 0 && gap_s < INFINITY)) {
        return;
    }
    if (presence->watched_s >= KEEL_PRESENCE_MEMORY_S) {
        presence->watched_s /= 2;
        presence->unseen_s2 /= 2;
    }
    presence->watched_s += gap_s;
    if (gap_s >= KEEL_PRESENCE_GAP_S) {
        presence->unseen_s2 += gap_s * gap_s / 2;
    }
}

double keel_presence_unseen_s(const struct keel_presence *presence)
{
    return presence->watched_s > 0 ? presence->unseen_s2 / presence->watched_s : 0;
}

double keel_presence_patience_s(double away_s)
{
    return away_s > 0 ? fmin(away_s / KEEL_PRESENCE_PART, KEEL_PRESENCE_PATIENCE_S) : 0;
}
