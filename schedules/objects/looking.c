/* How present a rank is on its processor while it waits for others. */
#include "schedules/objects/looking.h"

#include <math.h>
#include <stdbool.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/objects/gift.h"

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

/* When a rank asks others for objects. */

void keel_looks_note(struct keel_looks *looks, double gap_s)
{
    if (!(gap_s >= 0 && gap_s < INFINITY)) {
        return;
    }
    if (looks->count == KEEL_LOOKS_MEMORY) {
        looks->sum_s /= 2;
        looks->sum_s2 /= 2;
        looks->count /= 2;
    }
    looks->sum_s += gap_s;
    looks->sum_s2 += gap_s * gap_s;
    looks->count++;
}

double keel_looks_gap_s(const struct keel_looks *looks)
{
    return looks->sum_s > 0 ? looks->sum_s2 / looks->sum_s : 0;
}

bool keel_need_is_due(const struct keel_need_case *need)
{
    double most_s = 2 * (need->answer_s > 0 ? need->answer_s : need->gap_s);

    return need->left_s <= need->gap_s + need->trips * most_s;
}

double keel_need_patience_s(double last_s, double gap_s)
{
    double most_s = last_s / KEEL_GIFT_CAUTION;

    return 2 * gap_s <= most_s ? most_s : 0;
}

/* How many ranks an idle rank looks at, at a time. */

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

/* How often a thread looks for requests of other ranks. */

double keel_quantum_s(const struct keel_quantum_case *measured, double otherwise_s)
{
    if (!(measured->look_s > 0 && measured->look_s < INFINITY)) {
        return otherwise_s;
    }
    double work_s = measured->work_s > 0 && measured->work_s < INFINITY ? measured->work_s : 0;
    double requests = measured->requests > 0 ? (double)measured->requests : 1;

    return fmax(measured->look_s / KEEL_QUANTUM_COST,
                sqrt(2 * work_s * measured->look_s / requests));
}
