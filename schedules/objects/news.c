/* What a rank knows of objects that wait at others. */
#include "schedules/objects/news.h"

#include <math.h>
#include <stddef.h>

#include "schedules/objects/gift.h"

/* What is left at that time, if nothing was given since. */
static double left_at_most_s(const struct keel_news_entry *entry, double now_s)
{
    return fmax(entry->left_s - (now_s - entry->at_s), 0);
}

/* What is left by now, if the rank has worked since, and given as much as others; 0: its last
 * object has begun. */
static double left_s(const struct keel_news *news, const struct keel_news_entry *entry,
                     double now_s)
{
    double rate = news->exposed_s2 > 0 ? fmax(news->lost_s / news->exposed_s2, 0) : 0;
    double left_s = left_at_most_s(entry, now_s) * exp(-rate * (now_s - entry->at_s));

    return left_s > entry->one_s ? left_s : 0;
}

/* Later news of the same rank, by itself: of whom this rank asks, or answers. */
static void note_loss(struct keel_news *news, const struct keel_news_entry *entry,
                      const struct keel_news_entry *latest)
{
    double expected_s = left_at_most_s(entry, latest->at_s);
    double left_s = latest->one_s > 0 ? latest->left_s : 0;

    if (latest->own && expected_s > entry->one_s) {
        news->lost_s += expected_s - left_s;
        news->exposed_s2 += (expected_s + left_s) / 2 * (latest->at_s - entry->at_s);
    }
}

/* NULL: nothing is known to wait at that rank. */
static struct keel_news_entry *entry_of(struct keel_news *news, uint32_t rank)
{
    for (uint32_t i = 0; i < news->count; i++) {
        if (news->entry[i].rank == rank) {
            return &news->entry[i];
        }
    }
    return NULL;
}

/* Of that rank; else a new one, else the one with least left; NULL: that has more left. */
static struct keel_news_entry *place_of(struct keel_news *news,
                                        const struct keel_news_entry *latest, double now_s)
{
    struct keel_news_entry *own = entry_of(news, latest->rank), *least = &news->entry[0];

    if (own != NULL) {
        return own;
    }
    for (uint32_t i = 0; i < news->count; i++) {
        least = left_s(news, &news->entry[i], now_s) < left_s(news, least, now_s) ? &news->entry[i]
                                                                                  : least;
    }
    if (news->count < KEEL_NEWS_MAX) {
        least = &news->entry[news->count++];
        *least = (struct keel_news_entry){.rank = latest->rank};
        return least;
    }
    if (left_s(news, least, now_s) >= left_s(news, latest, now_s)) {
        return NULL;
    }
    *least = (struct keel_news_entry){.rank = latest->rank};
    return least;
}

static struct keel_news_empty *empty_of(struct keel_news *news, uint32_t rank)
{
    for (uint32_t i = 0; i < news->empties; i++) {
        if (news->empty[i].rank == rank) {
            return &news->empty[i];
        }
    }
    return NULL;
}

/* A new one, else the oldest; NULL: that is later. */
static struct keel_news_empty *place_for_empty(struct keel_news *news, double at_s)
{
    struct keel_news_empty *oldest = &news->empty[0];

    if (news->empties < KEEL_NEWS_EMPTY) {
        return &news->empty[news->empties++];
    }
    for (uint32_t i = 1; i < news->empties; i++) {
        oldest = news->empty[i].at_s < oldest->at_s ? &news->empty[i] : oldest;
    }
    return oldest->at_s < at_s ? oldest : NULL;
}

/* It is later than all that is known of the rank. */
static void note_empty(struct keel_news *news, const struct keel_news_entry *latest)
{
    struct keel_news_empty *empty = empty_of(news, latest->rank);
    struct keel_news_entry *entry = entry_of(news, latest->rank);

    if (empty == NULL) {
        empty = place_for_empty(news, latest->at_s);
    }
    if (empty != NULL) {
        *empty = (struct keel_news_empty){latest->rank, latest->left_s, latest->at_s};
    }
    if (entry != NULL) {
        note_loss(news, entry, latest);
        *entry = news->entry[--news->count];
    }
}

static bool is_known(struct keel_news *news, uint32_t rank, double at_s)
{
    const struct keel_news_entry *entry = entry_of(news, rank);
    const struct keel_news_empty *empty = empty_of(news, rank);

    return (entry != NULL && entry->at_s >= at_s) || (empty != NULL && empty->at_s >= at_s);
}

void keel_news_note(struct keel_news *news, const struct keel_news_item *item, uint32_t own,
                    double now_s)
{
    struct keel_news_entry latest = {.rank = item->rank,
                                     .left_s = item->left_s,
                                     .one_s = item->one_s,
                                     .at_s = now_s - item->age_s,
                                     .own = item->age_s <= 0};

    if (item->rank == own || is_known(news, item->rank, latest.at_s)) {
        return;
    }
    if (item->one_s <= 0) {
        note_empty(news, &latest);
        return;
    }
    struct keel_news_entry *entry = place_of(news, &latest, now_s);
    if (entry != NULL) {
        if (entry->left_s > 0) {
            note_loss(news, entry, &latest);
        }
        latest.refused = entry->refused;
        *entry = latest;
    }
}

static uint32_t tell_most(const struct keel_news *news, double now_s, struct keel_news_item *item)
{
    double time_s[KEEL_NEWS_MAX]; /* 0: told */
    uint32_t count = 0;

    for (uint32_t i = 0; i < news->count; i++) {
        time_s[i] = left_s(news, &news->entry[i], now_s);
    }
    while (count < KEEL_NEWS_TOLD_MOST) {
        uint32_t most = KEEL_NEWS_MAX;
        for (uint32_t i = 0; i < news->count; i++) {
            if (time_s[i] > (most < KEEL_NEWS_MAX ? time_s[most] : 0)) {
                most = i;
            }
        }
        if (most == KEEL_NEWS_MAX) {
            break;
        }
        const struct keel_news_entry *entry = &news->entry[most];
        time_s[most] = 0;
        item[count++] = (struct keel_news_item){entry->rank, (float)entry->left_s,
                                                (float)entry->one_s, (float)(now_s - entry->at_s)};
    }
    return count;
}

static uint32_t tell_empty(const struct keel_news *news, double now_s, struct keel_news_item *item)
{
    double before_s = INFINITY; /* those told are as late, or later */
    uint32_t count = 0;

    while (count < KEEL_NEWS_TOLD_EMPTY) {
        const struct keel_news_empty *latest = NULL;
        for (uint32_t i = 0; i < news->empties; i++) {
            const struct keel_news_empty *empty = &news->empty[i];
            if (empty->at_s < before_s && (latest == NULL || empty->at_s > latest->at_s)) {
                latest = empty;
            }
        }
        if (latest == NULL) {
            break;
        }
        before_s = latest->at_s;
        item[count++] = (struct keel_news_item){latest->rank, (float)latest->left_s, 0,
                                                (float)(now_s - latest->at_s)};
    }
    return count;
}

uint32_t keel_news_tell(const struct keel_news *news, double now_s,
                        struct keel_news_item item[KEEL_NEWS_TOLD])
{
    uint32_t count = tell_most(news, now_s, item);

    return count + tell_empty(news, now_s, &item[count]);
}

void keel_news_refuse(struct keel_news *news, uint32_t rank)
{
    struct keel_news_entry *entry = entry_of(news, rank);

    if (entry != NULL) {
        entry->refused = true;
    }
}

void keel_news_forgive(struct keel_news *news)
{
    for (uint32_t i = 0; i < news->count; i++) {
        news->entry[i].refused = false;
    }
}

static bool is_useful(const struct keel_news *news, const struct keel_news_entry *entry,
                      struct keel_news_wanted wanted, double now_s)
{
    return !entry->refused &&
           (wanted.one_s <= 0 || keel_gift_goes_first(entry->one_s, wanted.one_s)) &&
           left_s(news, entry, now_s) > entry->one_s + wanted.begins_s;
}

/* Of the ranks that may give one; 0: nobody does. */
static double heaviest_s(const struct keel_news *news, struct keel_news_wanted wanted, double now_s)
{
    double most_s = 0;

    for (uint32_t i = 0; i < news->count; i++) {
        const struct keel_news_entry *entry = &news->entry[i];
        if (is_useful(news, entry, wanted, now_s)) {
            most_s = fmax(most_s, entry->one_s);
        }
    }
    return most_s;
}

uint32_t keel_news_choose(const struct keel_news *news, struct keel_news_wanted wanted,
                          double now_s, uint64_t draw)
{
    double heaviest = heaviest_s(news, wanted, now_s), chance[KEEL_NEWS_MAX], sum = 0;
    uint32_t rank = KEEL_NEWS_NOBODY;

    for (uint32_t i = 0; i < news->count; i++) {
        const struct keel_news_entry *entry = &news->entry[i];
        bool may =
            is_useful(news, entry, wanted, now_s) && !keel_gift_goes_first(heaviest, entry->one_s);
        chance[i] = may ? left_s(news, entry, now_s) : 0;
        sum += chance[i];
    }
    double to = sum * (double)(draw >> 11) / 9007199254740992.0; /* 2^53 */
    for (uint32_t i = 0; i < news->count && to >= 0; i++) {
        rank = chance[i] > 0 ? news->entry[i].rank : rank;
        to -= chance[i];
    }
    return rank;
}
