/* What a rank knows of objects that wait at others.
 *
 *   questions, looks and answers, each with the fullest ranks that its sender knows of
 *        -> [news] -> whom to ask next
 *
 * Ranks that look for objects look at a few others at a time. Those tell what they know, so that
 * what one rank has found all that look find after a few looks more, wherever they are: news
 * spreads as rumours do (Demers & others 1987), with no message of its own. So does that nothing
 * waits at a rank any more: where that is forgotten, older news of the rank comes back (death
 * certificates, there). Among ranks that may give something one is drawn, as many ranks know the
 * same. A rank that gave nothing is not asked again in this round.
 *
 * Times are common seconds (schedules/objects/pace.h), and moments are of the caller's clock.
 * Pure. */
#ifndef SCHEDULES_OBJECTS_NEWS_H
#define SCHEDULES_OBJECTS_NEWS_H

#include <stdbool.h>
#include <stdint.h>

#define KEEL_NEWS_MAX 32       /* ranks at which objects wait: those with most left */
#define KEEL_NEWS_EMPTY 64     /* ranks at which none wait: the latest */
#define KEEL_NEWS_TOLD_MOST 8  /* of the former, in a message, */
#define KEEL_NEWS_TOLD_EMPTY 4 /* and of the latter */
#define KEEL_NEWS_TOLD (KEEL_NEWS_TOLD_MOST + KEEL_NEWS_TOLD_EMPTY)

/* As it is told. */
struct keel_news_item {
    uint32_t rank;
    float left_s; /* until the rank has done with all that it has */
    float one_s;  /* of an object that waits there, on average; 0: none waits */
    float age_s;  /* so long ago this was so */
};

struct keel_news_entry {
    uint32_t rank;
    bool refused; /* it gave nothing, in this round */
    double left_s, one_s;
    double at_s; /* when that was so */
};

/* Nothing waited at the rank at that time. */
struct keel_news_empty {
    uint32_t rank;
    double left_s; /* of the object that it computed */
    double at_s;
};

/* Begins as {0}. Written by the functions below only. */
struct keel_news {
    uint32_t count, empties;
    struct keel_news_entry entry[KEEL_NEWS_MAX];
    struct keel_news_empty empty[KEEL_NEWS_EMPTY];
};

/* Takes what was told at now_s; `own` rank knows better of itself. Older news than what is known
 * changes nothing. Where there is no room, the rank with least left is forgotten, and of those at
 * which nothing waits the oldest news. */
void keel_news_note(struct keel_news *news, const struct keel_news_item *item, uint32_t own,
                    double now_s);

/* Writes the ranks with most left at which objects wait, and those of which is known last that none
 * does; returns how many. */
uint32_t keel_news_tell(const struct keel_news *news, double now_s,
                        struct keel_news_item item[KEEL_NEWS_TOLD]);

/* Whether the rank is known to have nothing to give: for fresh_s from when that was so, and as long
 * as it computes its last object. What it gets later it tells by itself. */
bool keel_news_is_empty(const struct keel_news *news, uint32_t rank, double now_s, double fresh_s);

/* The rank gave nothing. */
void keel_news_refuse(struct keel_news *news, uint32_t rank);

/* A new round: ranks that gave nothing may have something. */
void keel_news_forgive(struct keel_news *news);

#define KEEL_NEWS_NOBODY UINT32_MAX

/* Who may give an object: one of those whose objects are the heaviest, none of which goes before
 * another's (schedules/objects/gift.h), by a draw, as likely as it has much left. With one_s > 0,
 * of those only whose objects go before one that takes one_s. KEEL_NEWS_NOBODY: nobody does. */
uint32_t keel_news_choose(const struct keel_news *news, double one_s, double now_s, uint64_t draw);

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
