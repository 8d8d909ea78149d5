/* What a rank knows of objects that wait at others. */
#include "schedules/objects/news.h"

#include <math.h>
#include <stddef.h>

#include "schedules/objects/gift.h"

/* What is left by now, if the rank has worked since. */
static double left_s(const struct keel_news_entry *entry, double now_s)
{
    return entry->one_s > 0 ? fmax(entry->left_s - (now_s - entry->at_s), 0) : 0;
}

/* Of that rank; else a new one, else the one with least left; NULL: that has more left. */
static struct keel_news_entry *place_of(struct keel_news *news,
                                        const struct keel_news_entry *latest, double now_s)
{
    struct keel_news_entry *least = &news->entry[0];

    for (uint32_t i = 0; i < news->count; i++) {
        if (news->entry[i].rank == latest->rank) {
            return &news->entry[i];
        }
        least = left_s(&news->entry[i], now_s) < left_s(least, now_s) ? &news->entry[i] : least;
    }
    if (news->count < KEEL_NEWS_MAX) {
        least = &news->entry[news->count++];
        *least = (struct keel_news_entry){.rank = latest->rank, .at_s = -INFINITY};
        return least;
    }
    if (left_s(least, now_s) >= left_s(latest, now_s)) {
        return NULL;
    }
    *least = (struct keel_news_entry){.rank = latest->rank, .at_s = -INFINITY};
    return least;
}

void keel_news_note(struct keel_news *news, const struct keel_news_item *item, uint32_t own,
                    double now_s)
{
    struct keel_news_entry latest = {.rank = item->rank,
                                     .left_s = item->left_s,
                                     .one_s = item->one_s,
                                     .at_s = now_s - item->age_s};
    struct keel_news_entry *entry = item->rank != own ? place_of(news, &latest, now_s) : NULL;

    if (entry != NULL && entry->at_s < latest.at_s) {
        latest.refused = entry->refused;
        *entry = latest;
    }
}

uint32_t keel_news_tell(const struct keel_news *news, double now_s,
                        struct keel_news_item item[KEEL_NEWS_TOLD])
{
    bool told[KEEL_NEWS_MAX] = {false};
    uint32_t count = 0;

    while (count < KEEL_NEWS_TOLD) {
        uint32_t most = KEEL_NEWS_MAX;
        double most_s = 0;
        for (uint32_t i = 0; i < news->count; i++) {
            double time_s = told[i] ? 0 : left_s(&news->entry[i], now_s);
            most = time_s > most_s ? i : most;
            most_s = fmax(most_s, time_s);
        }
        if (most == KEEL_NEWS_MAX) {
            break;
        }
        const struct keel_news_entry *entry = &news->entry[most];
        told[most] = true;
        item[count++] = (struct keel_news_item){entry->rank, (float)entry->left_s,
                                                (float)entry->one_s, (float)(now_s - entry->at_s)};
    }
    return count;
}

void keel_news_refuse(struct keel_news *news, uint32_t rank)
{
    for (uint32_t i = 0; i < news->count; i++) {
        news->entry[i].refused |= news->entry[i].rank == rank;
    }
}

void keel_news_forgive(struct keel_news *news)
{
    for (uint32_t i = 0; i < news->count; i++) {
        news->entry[i].refused = false;
    }
}

static double chance_of(const struct keel_news_entry *entry, double one_s, double now_s)
{
    bool useful = !entry->refused && (one_s <= 0 || keel_gift_goes_first(entry->one_s, one_s));

    return useful ? left_s(entry, now_s) : 0;
}

uint32_t keel_news_choose(const struct keel_news *news, double one_s, double now_s, uint64_t draw)
{
    double sum = 0, to;
    uint32_t rank = KEEL_NEWS_NOBODY;

    for (uint32_t i = 0; i < news->count; i++) {
        sum += chance_of(&news->entry[i], one_s, now_s);
    }
    to = sum * (double)(draw >> 11) / 9007199254740992.0; /* 2^53 */
    for (uint32_t i = 0; i < news->count && sum > 0; i++) {
        double chance = chance_of(&news->entry[i], one_s, now_s);
        rank = chance > 0 ? news->entry[i].rank : rank;
        to -= chance;
        if (to < 0 && chance > 0) {
            break;
        }
    }
    return rank;
}
