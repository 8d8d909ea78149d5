/* When a rank asks others for objects. */
#include "schedules/objects/need.h"

#include <math.h>

#include "schedules/objects/gift.h"

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
