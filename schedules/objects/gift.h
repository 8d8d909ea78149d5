/* Which objects a rank gives to one that asks.
 *
 *   pending objects of the giver, work and rates of both, costs of moving -> [gift] -> the objects
 *
 * Those go with which both end together: much pending work and few bytes first. An object goes only
 * if the later of the two ends earlier for it, with what moving costs counted: the receiver waits
 * for the message, and the giver packs.
 *
 * That alone leaves heavy objects to the end, where ranks with nothing but light ones ask as these
 * are done: the job then ends a heavy object later. So a rank asks before that for one that is
 * heavier than the one that it would begin next. It goes first; the light ones behind it are what
 * others, who are done, can still take. It is heaviest first (Graham 1969), as far as ranks can
 * have it that know only what their own objects take.
 *
 * Both count on others: ranks that are known to be done soon (schedules/objects/news.h). Where
 * there are many, what waits behind a heavy object finds one surely. And where there is one for
 * each object that is left, the receiver gets one alone: with two it ends later than any of them.
 *
 * Times are in s on the giver. Pure. */
#ifndef SCHEDULES_OBJECTS_GIFT_H
#define SCHEDULES_OBJECTS_GIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keel_gift_object {
    double work_s;  /* time of its pending work on the giver, >= 0 */
    double bytes;   /* when packed, >= 0 */
    uint64_t place; /* the caller's own */
};

struct keel_gift_case {
    double giver_s;    /* until the giver has done all its pending work, the objects' included */
    double receiver_s; /* the same of the receiver, by its own time */
    double speed;      /* of the receiver, relative to the giver's: work takes work_s / speed there;
                          > 0 and finite */
    double message_s;  /* until a message is there, >= 0 */
    double byte_s;     /* more for each byte, >= 0 */
    double packing_s;  /* for each byte, of the giver's time, >= 0 */
    double object_s;   /* for each object, of the giver's time, >= 0 */
    double helpers;    /* other ranks that are done before the receiver could begin a second
                          object, >= 0 */
};

/* Brings the objects that go to the front, in the order in which they are to go, and returns how
 * many these are. One alone, if it takes longer than a message, where gift->helpers are as many as
 * there are objects beside it. O(n log n). */
size_t keel_gift_choose(const struct keel_gift_case *gift, struct keel_gift_object *object,
                        size_t count);

/* The receiver's own, by its own time. */
struct keel_gift_waiting {
    double begins_s; /* until the object that it computes is done, >= 0 */
    double waits_s;  /* of those behind it, >= 0 */
    double next_s;   /* of the first of them */
    double helpers;  /* for each of them, other ranks that could have done it before the giver is
                        done, >= 0 */
};

/* What is lost is sure where nobody takes what waits, what is gained is not: that has to be so many
 * times as much, if nobody is known who could. */
#define KEEL_GIFT_CAUTION 10

/* The same where so many could take it. Of one it is expected in 1 of KEEL_GIFT_CAUTION + 1 cases,
 * by which what is gained and what is lost come to the same on average; of each of the others as
 * well, whatever the rest does. */
double keel_gift_caution(double helpers);

/* Whether an object that takes so long goes before one that takes other_s. */
bool keel_gift_goes_first(double work_s, double other_s);

/* The same, for a rank that has objects left to begin: returns 0 or 1. That one goes which is
 * heavier than the next one there, if it ends earlier there than here behind those that are as
 * heavy, where others take the lighter ones of both: by KEEL_GIFT_CAUTION times of what moving it
 * costs, and keel_gift_caution() times of what is lost where nobody takes them. O(n log n). */
size_t keel_gift_choose_first(const struct keel_gift_case *gift,
                              const struct keel_gift_waiting *waiting,
                              struct keel_gift_object *object, size_t count);

#endif
