/* Which ranks will be done before others. */
#include "schedules/objects/helpers.h"

#include <stddef.h>

/* Of that rank; else a new one, else the one that is done last; NULL: there is none. */
static struct keel_helper *place_of(struct keel_helpers *helpers, uint32_t rank)
{
    struct keel_helper *last = NULL;

    for (uint32_t i = 0; i < helpers->count; i++) {
        struct keel_helper *helper = &helpers->helper[i];
        if (helper->rank == rank) {
            return helper;
        }
        last = last == NULL || helper->done_s > last->done_s ? helper : last;
    }
    if (helpers->count < KEEL_HELPERS_MAX) {
        return &helpers->helper[helpers->count];
    }
    return last;
}

void keel_helpers_note(struct keel_helpers *helpers, const struct keel_news_item *item,
                       uint32_t own, double now_s)
{
    double at_s = now_s - item->age_s;
    const struct keel_helper latest = {item->rank, at_s + item->left_s, at_s};

    if (item->rank == own) {
        return;
    }
    struct keel_helper *place = place_of(helpers, item->rank);
    if (place == &helpers->helper[helpers->count]) {
        helpers->count++;
    } else if (place->rank == item->rank ? place->at_s >= at_s : place->done_s <= latest.done_s) {
        return;
    }
    *place = latest;
}

uint32_t keel_helpers_count(const struct keel_helpers *helpers, uint32_t rank, double by_s)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < helpers->count; i++) {
        const struct keel_helper *helper = &helpers->helper[i];
        count += helper->rank != rank && helper->done_s <= by_s;
    }
    return count;
}
