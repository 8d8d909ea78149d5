/* Which ranks will be done before others: they can take what waits there.
 *
 *   questions, looks and answers, with what is left at ranks (schedules/objects/news.h)
 *        -> [helpers] -> how many are done by then -> schedules/objects/gift.h
 *
 * A rank that asks is one: it is done by the time that it tells. News keep ranks with most left,
 * these here keep those with least.
 *
 * Times are common seconds (schedules/objects/pace.h), and moments are of the caller's clock.
 * Pure. */
#ifndef SCHEDULES_OBJECTS_HELPERS_H
#define SCHEDULES_OBJECTS_HELPERS_H

#include <stdint.h>

#include "schedules/objects/news.h"

/* More change little: keel_gift_caution() of that many is 0.05. */
#define KEEL_HELPERS_MAX 32

struct keel_helper {
    uint32_t rank;
    double done_s; /* when it will have done all that it has */
    double at_s;   /* when that was so */
};

/* Begins as {0}. Written by the functions below only. */
struct keel_helpers {
    uint32_t count;
    struct keel_helper helper[KEEL_HELPERS_MAX];
};

/* Takes what was told at now_s of another rank than `own`. Older news than what is known changes
 * nothing. Where there is no room, the rank that is done last is forgotten. */
void keel_helpers_note(struct keel_helpers *helpers, const struct keel_news_item *item,
                       uint32_t own, double now_s);

/* How many are done by then, but for that rank. */
uint32_t keel_helpers_count(const struct keel_helpers *helpers, uint32_t rank, double by_s);

#endif
