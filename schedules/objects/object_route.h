/* The next rank of a message to an object.
 *
 *   index -> home rank;  location known here, epoch that led the message here -> next rank
 *
 * Each object has a home rank by its index, which learns of each rank that the object moves to. An
 * object counts its ranks: its epoch is 1 where it is made, and one more on each rank that it moves
 * to. A rank that gives an object away knows where it went, for the rest of the phase. A message
 * carries the epoch of the location that it was sent to, 0 at first. It follows newer locations
 * only, otherwise it goes home, so it never goes around: each step raises the epoch, or goes home,
 * at most once for each epoch. At home it waits for news. Pure. */
#ifndef SCHEDULES_OBJECTS_OBJECT_ROUTE_H
#define SCHEDULES_OBJECTS_OBJECT_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The location of an object that this rank does not have. */
struct keel_location {
    uint32_t rank;  /* where it was; KEEL_LOCATION_DELETED */
    uint32_t epoch; /* at that time; 0: nothing is known */
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

/* The next step of a message on rank `self`, which does not have its object. known: the object's
 * location as known here. epoch: of the message. */
struct keel_directory_step keel_directory_next(uint32_t self, uint32_t home,
                                               struct keel_location known, uint32_t epoch);

/* Whether `news` is newer than the known location. */
static inline int keel_location_is_news(struct keel_location known, struct keel_location news)
{
    return news.epoch > known.epoch ||
           (news.epoch == known.epoch && news.rank == KEEL_LOCATION_DELETED &&
            known.rank != KEEL_LOCATION_DELETED);
}

/* The order of messages to one object: which message of a sender comes next.
 *
 * A sender numbers its messages to an object from 0 in each phase. They may take different routes
 * and arrive in any order; the object's counts, which move with it, determine which is due. Pure:
 * memory comes from a function of the caller. */

struct keel_order_entry {
    uint32_t sender;
    uint32_t next; /* number of its message that is due, >= 1 */
};

/* Written by the functions below only. All zero: no message has arrived. */
struct keel_order {
    uint32_t count, room;
    struct keel_order_entry *entry; /* by increasing sender */
};

/* Whether message `number` of `sender` is due. */
bool keel_order_is_due(const struct keel_order *order, uint32_t sender, uint32_t number);

/* The due message of `sender` has arrived. reallocate works like realloc. Returns false, and
 * changes nothing, if memory is short. */
bool keel_order_advance(struct keel_order *order, uint32_t sender,
                        void *(*reallocate)(void *, size_t));

/* The end of all work of a phase in the whole job: Mattern's four counters.
 *
 *   messages sent and received -> [termination] -> words of a wave -> sums over all ranks
 *        -> [termination] -> goes on | held messages have to be returned | ended
 *
 * A wave is a sum over all ranks, to which each contributes at some moment when it is idle. A wave
 * begins when the one before is complete. Let R be the number of messages received by the one wave
 * and S the number sent by the next: every contribution to the first was before every one to the
 * second. If R == S, all messages sent by then had been received before the second wave began, so
 * none was on its way while it ran, and no rank could be woken up (Mattern 1987, Algorithms for
 * distributed termination detection, section 5). Counters never decrease, also from phase to phase.
 * Pure. */

#define KEEL_TERMINATION_WORDS 3

enum keel_termination_result {
    KEEL_TERMINATION_GOES_ON, /* another wave is to follow */
    KEEL_TERMINATION_HELD,    /* all is done except that messages are held for objects that no
                                 rank has: they are to be returned now */
    KEEL_TERMINATION_ENDED
};

/* Written by the functions below only. */
struct keel_termination {
    uint64_t sent, received; /* messages of this rank, ever */
    uint64_t received_by_all;
    bool has_wave; /* received_by_all is that of the wave before */
};

/* Begins a phase: waves of the phase before do not count. */
void keel_termination_begin(struct keel_termination *termination);

/* Writes this rank's words of a wave, when it is idle. held: messages that it keeps for objects
 * that it does not know. */
void keel_termination_contribute(const struct keel_termination *termination, uint64_t held,
                                 uint64_t word[KEEL_TERMINATION_WORDS]);

/* Takes in the sums of a wave; the same on all ranks. */
enum keel_termination_result keel_termination_take(struct keel_termination *termination,
                                                   const uint64_t sum[KEEL_TERMINATION_WORDS]);

#endif
