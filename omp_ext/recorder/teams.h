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

struct keel_team_place;

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

/* Takes the place of a region, or of serial loops (place->caller NULL), for one team. initial: for
 * one that the initial thread starts, outside of all regions. now: ticks. NULL: there is no room.
 * Any thread. */
struct keel_team_place *keel_team_place_take(const struct keel_call_site *place, bool initial,
                                             uint64_t now);

/* What the instance counts that runs. Any thread of the team. */
const struct keel_weighing *keel_team_place_weighing(const struct keel_team_place *team);

/* The team of an instance that the initial thread has started, outside of all regions, has joined.
 * By that thread. */
void keel_team_place_join(const struct keel_team_place *team, uint64_t now);

/* Has the next `instances` that the initial thread starts there skipped. By that thread. */
void keel_team_place_skip(struct keel_team_place *team, uint64_t instances, uint64_t now);

/* The team starts regions itself. Any of its threads. */
void keel_team_place_note_nested(struct keel_team_place *team);
bool keel_team_place_has_nested(const struct keel_team_place *team);

/* At exit: adds the skipped instances that none stands for. */
void keel_team_places_end(void);

/* Gives it back: the team has joined. */
void keel_team_place_release(struct keel_team_place *team);

/* The region's entry, with room for `threads`; NULL: there is no room. Any thread of the team. */
struct keel_recording_entry *keel_team_place_entry(struct keel_team_place *team, uint32_t threads);

/* The entry that it has already; NULL: none. */
struct keel_recording_entry *keel_team_place_entry_now(struct keel_team_place *team);

/* What is recorded of a loop, or of the part that ends at the barrier that returns to
 * place->caller, in teams of `threads`. NULL: there is no room. Any thread of the team. */
struct keel_recorded_construct *keel_team_place_construct(struct keel_team_place *team,
                                                          enum keel_recording_kind kind,
                                                          const struct keel_call_site *place,
                                                          uint32_t threads);

#endif
