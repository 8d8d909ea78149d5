/* Where a team of a region, and what it does there, is recorded.
 *
 *   fork -> team_place: one for each region that runs at a time -> entries of loops and parts in it
 *
 * A team place belongs to one team from fork to join, so its threads count in it without atomic
 * operations, each in its own cache lines. Team places, and what they hold, are never freed. */
#ifndef OMP_EXT_RECORDER_TEAMS_H
#define OMP_EXT_RECORDER_TEAMS_H

#include "omp_ext/observe/observe.h"
#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/recorder/weighing.h"

/* How thread 0 looks at what the threads wait in one instance: what all have waited before it, and
 * before the next one. */
struct keel_recorded_look {
    uint64_t waited;         /* by all threads before the instance */
    uint64_t weight;         /* what the instance counts; 0: none is looked at */
    uint64_t threads, state; /* of its team; of random numbers */
    uint64_t looks, pass;    /* so far; instances until the next one */
};

/* A loop, or a part of a region up to a barrier. */
struct keel_recorded_construct {
    struct keel_recording_entry *entry;
    struct keel_observed_loop like; /* thread 0's: what its schedule was noted for */
    struct keel_recorded_look look; /* thread 0's */
};

#define KEEL_TEAM_CONSTRUCTS 32 /* slots, a power of two */

/* Fields without a note never change once it is known to other threads. */
struct keel_team_place {
    /* Written by who starts a region: on a cache line of its own. */
    _Alignas(64) atomic_bool taken;
    struct keel_weighing weighing;       /* what the instance counts that runs */
    _Alignas(64) atomic_bool has_nested; /* the team starts regions itself; a hint */
    struct keel_team_place *next;        /* in its slot: older ones */
    struct keel_call_site place;
    struct keel_call_site named; /* the same as names are looked up for */
    struct keel_site *site;
    _Atomic(struct keel_recording_entry *) entry; /* the largest so far, ready; NULL: none yet */
    _Atomic(struct keel_team_construct *) constructs[KEEL_TEAM_CONSTRUCTS];
};

/* Takes the place of a region, or of serial loops (place->caller NULL), for one team. initial: for
 * one that the initial thread starts, outside of all regions. now: ticks. NULL: there is no room.
 * Any thread. */
struct keel_team_place *keel_team_place_take(const struct keel_call_site *place, bool initial,
                                             uint64_t now);

/* The team of an instance that the initial thread has started, outside of all regions, has joined.
 * By that thread. */
void keel_team_place_join(const struct keel_team_place *team, uint64_t now);

/* Has the next `instances` that the initial thread starts there skipped. By that thread. */
void keel_team_place_skip(struct keel_team_place *team, uint64_t instances, uint64_t now);

/* At exit: adds the skipped instances that none stands for. */
void keel_team_places_end(void);

/* Gives it back: the team has joined. */
void keel_team_place_release(struct keel_team_place *team);

/* The region's entry, with room for `threads`; NULL: there is no room. Any thread of the team. */
struct keel_recording_entry *keel_team_place_entry(struct keel_team_place *team, uint32_t threads);

/* What is recorded of a loop, or of the part that ends at the barrier that returns to
 * place->caller, in teams of `threads`. NULL: there is no room. Any thread of the team. */
struct keel_recorded_construct *keel_team_place_construct(struct keel_team_place *team,
                                                          enum keel_recording_kind kind,
                                                          const struct keel_call_site *place,
                                                          uint32_t threads);

#endif
