/* A rank's news of objects at other ranks, and of ranks that will be done early. */
#include "schedules/objects/news.h"

#include <math.h>
#include <stddef.h>

#include "schedules/objects/gift.h"

/* Work left by now, if the rank has worked since; 0 if its last object has begun. */
static double left_s(const struct keel_news_entry *entry, double now_s)
{
    double left_s = entry->left_s - (now_s - entry->at_s);

    return left_s > entry->one_s ? left_s : 0;
}

/* NULL if no objects are known to wait at that rank. */
static struct keel_news_entry *entry_of(struct keel_news *news, uint32_t rank)
{
    for (uint32_t i = 0; i < news->count; i++) {
        if (news->entry[i].rank == rank) {
            return &news->entry[i];
        }
    }
    return NULL;
}

/* Returns the rank's or a free entry, or evicts the one with least left; NULL if all have more. */
static struct keel_news_entry *place_of(struct keel_news *news,
                                        const struct keel_news_entry *latest, double now_s)
{
    struct keel_news_entry *own = entry_of(news, latest->rank), *least = &news->entry[0];

    if (own != NULL) {
        return own;
    }
    for (uint32_t i = 0; i < news->count; i++) {
        least = left_s(&news->entry[i], now_s) < left_s(least, now_s) ? &news->entry[i] : least;
    }
    if (news->count < KEEL_NEWS_MAX) {
        least = &news->entry[news->count++];
        *least = (struct keel_news_entry){.rank = latest->rank};
        return least;
    }
    if (left_s(least, now_s) >= left_s(latest, now_s)) {
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

/* Returns a free entry, or evicts the oldest one; NULL if all are later. */
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

/* `latest` is later than all news of the rank so far. */
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
                                     .at_s = now_s - item->age_s};

    if (item->rank == own || is_known(news, item->rank, latest.at_s)) {
        return;
    }
    if (item->one_s <= 0) {
        note_empty(news, &latest);
        return;
    }
    struct keel_news_entry *entry = place_of(news, &latest, now_s);
    if (entry != NULL) {
        latest.refused = entry->refused;
        *entry = latest;
    }
}

static uint32_t list_most(const struct keel_news *news, double now_s, struct keel_news_item *item)
{
    bool listed[KEEL_NEWS_MAX] = {false};
    uint32_t count = 0;

    while (count < KEEL_NEWS_SENT_FULL) {
        uint32_t most = KEEL_NEWS_MAX;
        double most_s = 0;
        for (uint32_t i = 0; i < news->count; i++) {
            double time_s = listed[i] ? 0 : left_s(&news->entry[i], now_s);
            most = time_s > most_s ? i : most;
            most_s = fmax(most_s, time_s);
        }
        if (most == KEEL_NEWS_MAX) {
            break;
        }
        const struct keel_news_entry *entry = &news->entry[most];
        listed[most] = true;
        item[count++] = (struct keel_news_item){entry->rank, (float)entry->left_s,
                                                (float)entry->one_s, (float)(now_s - entry->at_s)};
    }
    return count;
}

static uint32_t list_empty(const struct keel_news *news, double now_s, struct keel_news_item *item)
{
    double before_s = INFINITY; /* those listed are as late, or later */
    uint32_t count = 0;

    while (count < KEEL_NEWS_SENT_EMPTY) {
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

uint32_t keel_news_list(const struct keel_news *news, double now_s,
                        struct keel_news_item item[KEEL_NEWS_SENT])
{
    uint32_t count = list_most(news, now_s, item);

    return count + list_empty(news, now_s, &item[count]);
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

static bool is_useful(const struct keel_news_entry *entry, double one_s)
{
    return !entry->refused && (one_s <= 0 || keel_gift_goes_first(entry->one_s, one_s));
}

bool keel_news_is_empty(const struct keel_news *news, uint32_t rank, double now_s, double fresh_s)
{
    bool something = false;
    double until_s = -INFINITY;

    for (uint32_t i = 0; i < news->count; i++) { /* later than any news of the same rank below */
        something = something || news->entry[i].rank == rank;
    }
    for (uint32_t i = 0; i < news->empties; i++) {
        const struct keel_news_empty *empty = &news->empty[i];
        until_s = empty->rank == rank ? empty->at_s + fmax(empty->left_s, fresh_s) : until_s;
    }
    return !something && now_s < until_s;
}

/* The heaviest objects of ranks that may give one; 0 if none may. */
static double heaviest_s(const struct keel_news *news, double one_s, double now_s)
{
    double most_s = 0;

    for (uint32_t i = 0; i < news->count; i++) {
        const struct keel_news_entry *entry = &news->entry[i];
        if (is_useful(entry, one_s) && left_s(entry, now_s) > 0) {
            most_s = fmax(most_s, entry->one_s);
        }
    }
    return most_s;
}

struct wanted {
    double one_s, most_s;
};

static double chance_of(const struct keel_news_entry *entry, struct wanted wanted, double now_s)
{
    bool may = is_useful(entry, wanted.one_s) && !keel_gift_goes_first(wanted.most_s, entry->one_s);

    return may ? left_s(entry, now_s) : 0;
}

uint32_t keel_news_choose(const struct keel_news *news, double one_s, double now_s, uint64_t draw)
{
    const struct wanted wanted = {one_s, heaviest_s(news, one_s, now_s)};
    double sum = 0, to;
    uint32_t rank = KEEL_NEWS_NO_RANK;

    for (uint32_t i = 0; i < news->count; i++) {
        sum += chance_of(&news->entry[i], wanted, now_s);
    }
    to = sum * (double)(draw >> 11) / 9007199254740992.0; /* 2^53 */
    for (uint32_t i = 0; i < news->count && sum > 0; i++) {
        double chance = chance_of(&news->entry[i], wanted, now_s);
        rank = chance > 0 ? news->entry[i].rank : rank;
        to -= chance;
        if (to < 0 && chance > 0) {
            break;
        }
    }
    return rank;
}

/* --- which ranks will be done before others --- */

/* Returns the rank's entry, the free one behind the last, or the one that is done last. */
static struct keel_helper *helper_of(struct keel_helpers *helpers, uint32_t rank)
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
    struct keel_helper *place = helper_of(helpers, item->rank);
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
