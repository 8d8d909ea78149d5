/* A rank's news of objects that wait at others.
 *
 *   questions, looks and answers, each with the fullest ranks that its sender knows of
 *        -> [news] -> which rank to ask next
 *
 * Ranks that look for objects look at a few others at a time. These send their news, so that a
 * rank's discovery reaches all ranks that look after a few more looks, wherever they are: news
 * spreads as rumours do (Demers & others 1987), with no message of its own. So does the news that
 * no objects wait at a rank any more: if that were forgotten, older news of the rank would come
 * back (death certificates, there). Among ranks that may give objects one is drawn at random, as
 * many ranks have the same news. A rank that gave nothing is not asked again in this round.
 *
 * Times are common seconds (schedules/objects/pace.h), and moments are of the caller's clock.
 * Pure. */
#ifndef SCHEDULES_OBJECTS_NEWS_H
#define SCHEDULES_OBJECTS_NEWS_H

#include <stdbool.h>
#include <stdint.h>

#define KEEL_NEWS_MAX 32       /* ranks at which objects wait: those with most left */
#define KEEL_NEWS_EMPTY 64     /* ranks at which none wait: the latest */
#define KEEL_NEWS_SENT_FULL 8  /* of the former, in a message, */
#define KEEL_NEWS_SENT_EMPTY 4 /* and of the latter */
#define KEEL_NEWS_SENT (KEEL_NEWS_SENT_FULL + KEEL_NEWS_SENT_EMPTY)

/* News of a rank, as it is sent. */
struct keel_news_item {
    uint32_t rank;
    float left_s; /* until all work of the rank is done */
    float one_s;  /* of an object that waits there, on average; 0: none waits */
    float age_s;  /* of this news */
};

struct keel_news_entry {
    uint32_t rank;
    bool refused; /* it gave nothing, in this round */
    double left_s, one_s;
    double at_s; /* time of the news */
};

/* No objects waited at the rank at that time. */
struct keel_news_empty {
    uint32_t rank;
    double left_s; /* of its present object */
    double at_s;
};

/* Begins as {0}. Written by the functions below only. */
struct keel_news {
    uint32_t count, empties;
    struct keel_news_entry entry[KEEL_NEWS_MAX];
    struct keel_news_empty empty[KEEL_NEWS_EMPTY];
};

/* Records news that arrived at now_s; news of `own` rank, or older than the known news, is ignored.
 * If there is no room, the rank with least left is forgotten, and of those at which no objects wait
 * the oldest news. */
void keel_news_note(struct keel_news *news, const struct keel_news_item *item, uint32_t own,
                    double now_s);

/* Writes the ranks with most left at which objects wait, and those whose latest news is that none
 * does. Returns how many. */
uint32_t keel_news_list(const struct keel_news *news, double now_s,
                        struct keel_news_item item[KEEL_NEWS_SENT]);

/* Whether the rank is known to have nothing to give: for fresh_s from the time of the news, and as
 * long as it computes its last object. The rank itself sends news when it gets more. */
bool keel_news_is_empty(const struct keel_news *news, uint32_t rank, double now_s, double fresh_s);

/* The rank gave nothing. */
void keel_news_refuse(struct keel_news *news, uint32_t rank);

/* A new round: ranks that gave nothing may have something. */
void keel_news_forgive(struct keel_news *news);

#define KEEL_NEWS_NO_RANK UINT32_MAX

/* Draws a rank that may give an object: one of those with the heaviest objects, none of which goes
 * before another's (schedules/objects/gift.h), as likely as it has much left. With one_s > 0, only
 * those whose objects go before one that takes one_s. KEEL_NEWS_NO_RANK if there is none. */
uint32_t keel_news_choose(const struct keel_news *news, double one_s, double now_s, uint64_t draw);

/* Ranks that will be done before others: they can take the objects that wait there.
 *
 *   questions, looks and answers, with the work left at ranks (above)
 *        -> [helpers] -> how many are done by a time -> schedules/objects/gift.h
 *
 * A rank that asks is one of them: it is done by the time that it sends. News keep ranks with most
 * left, helpers those with least.
 *
 * Times are common seconds (schedules/objects/pace.h), and moments are of the caller's clock.
 * Pure. */

/* More would change little: keel_gift_caution() of this number is 0.05. */
#define KEEL_HELPERS_MAX 32

struct keel_helper {
    uint32_t rank;
    double done_s; /* end of all its work */
    double at_s;   /* time of the news */
};

/* Begins as {0}. Written by the functions below only. */
struct keel_helpers {
    uint32_t count;
    struct keel_helper helper[KEEL_HELPERS_MAX];
};

/* Records news of a rank other than `own` that arrived at now_s. News older than the known one is
 * ignored. If there is no room, the rank that is done last is forgotten. */
void keel_helpers_note(struct keel_helpers *helpers, const struct keel_news_item *item,
                       uint32_t own, double now_s);

/* How many ranks other than `rank` are done by then. */
uint32_t keel_helpers_count(const struct keel_helpers *helpers, uint32_t rank, double by_s);

#endif
