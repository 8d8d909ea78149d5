/* Where a message to an object goes next.
 *
 *   index -> home rank;  what a rank knows of an object, what led the message there -> next rank
 *
 * Each object has a home rank by its index, which learns of each place that the object comes to. An
 * object counts its places: its epoch is 1 where it is made, and one more on each rank that it
 * moves to. A rank that gives an object away knows where it went, for the rest of the phase. A
 * message carries the epoch of what it was sent by, 0 at first. It goes on by newer knowledge only,
 * else to the home rank, so it never goes around: each step raises the epoch, or goes home, and
 * home it goes once for each epoch at most. At home it waits for news. Pure. */
#ifndef SCHEDULES_OBJECTS_DIRECTORY_H
#define SCHEDULES_OBJECTS_DIRECTORY_H

#include <stdint.h>

/* What a rank knows of an object that it has not. */
struct keel_location {
    uint32_t rank;  /* where it was; KEEL_LOCATION_DELETED */
    uint32_t epoch; /* by then; 0: nothing is known */
};

#define KEEL_LOCATION_DELETED UINT32_MAX

enum keel_directory_action {
    KEEL_DIRECTORY_SEND,   /* to `rank`, with `epoch` */
    KEEL_DIRECTORY_HOLD,   /* until there is news of the object */
    KEEL_DIRECTORY_RETURN, /* to the sender: the object was deleted */
};

struct keel_directory_step {
    enum keel_directory_action action;
    uint32_t rank, epoch;
};

/* The home rank of an object, 0 .. ranks - 1; ranks >= 1. */
uint32_t keel_directory_home(uint64_t index, uint32_t ranks);

/* What becomes of a message on rank `self`, which has not its object. known: what it knows of the
 * object. epoch: of the message. */
struct keel_directory_step keel_directory_next(uint32_t self, uint32_t home,
                                               struct keel_location known, uint32_t epoch);

/* Whether `news` says more than what is known. */
static inline int keel_location_is_news(struct keel_location known, struct keel_location news)
{
    return news.epoch > known.epoch ||
           (news.epoch == known.epoch && news.rank == KEEL_LOCATION_DELETED &&
            known.rank != KEEL_LOCATION_DELETED);
}

#endif
