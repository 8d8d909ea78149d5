/* Where a team of a region, and what it does there, is recorded.
 *
 *   fork -> team_place: one for each region that runs at a time -> entries of loops and parts in it
 *
 * A team place belongs to one team from fork to join, so its threads count in it without atomic
 * operations, each in its own cache lines. Team places, and what they hold, are never freed. */
#ifndef OMP_EXT_RECORDER_TEAMS_H
#define OMP_EXT_RECORDER_TEAMS_H

#include <stdint.h>

#include "omp_ext/observe/observe.h"
#include "omp_ext/recorder/recording_format.h"

/* --- what a recorded instance of a region stands for ---
 *
 * Itself, and those before it that were skipped.
 *
 *   time of the initial thread:  | recorded | skipped and serial | recorded | ...
 *                                             \_ kept: what later samples may count as skipped
 *
 * An instance that was interrupted says little about those before it. So samples count no more for
 * skipped instances than the time that has passed outside of recorded ones:
 *
 *   counted for skipped instances + kept == time outside of recorded instances
 *
 * What all samples count is then never longer than the run. Times are in ticks. */

/* One recorded instance. */
struct keel_weighing {
    uint64_t forked; /* when it began */
    uint64_t weight; /* how many instances it stands for, itself included */
    uint64_t beyond; /* what it may count for the others, at most */
};

/* What the initial thread has spent outside of recorded instances, and no sample has counted. */
struct keel_weighing_time {
    uint64_t kept;
    uint64_t joined; /* when its last recorded instance did; 0: there was none */
};

/* A sample counts at most so many times what has passed since the one before it: instances of one
 * region differ, so one of them may stand for more than that; an interrupted one may not for all
 * that the program has done. */
#define KEEL_WEIGHING_TIMES 16

static inline uint64_t keel_weighing_least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* The initial thread begins an instance that is recorded. */
static inline void keel_weighing_time_fork(struct keel_weighing_time *time, uint64_t now)
{
    time->kept += time->joined != 0 && now > time->joined ? now - time->joined : 0;
    time->joined = now;
}

/* That instance, behind `skipped` ones of its region since the last recorded one, which joined at
 * `since`. */
static inline struct keel_weighing keel_weighing_of(const struct keel_weighing_time *time,
                                                    uint64_t skipped, uint64_t since, uint64_t now)
{
    uint64_t passed = now > since ? now - since : 0;

    return (struct keel_weighing){
        .forked = now,
        .weight = 1 + skipped,
        .beyond = skipped > 0 ? keel_weighing_least(time->kept, KEEL_WEIGHING_TIMES * passed) : 0,
    };
}

/* What a thread counts that has been in it until `now`: `weight` times that, until as much is
 * counted for the others as may be; from there on once. So what is counted of pieces of that time,
 * one after the other, adds up. */
static inline uint64_t keel_weighing_until(const struct keel_weighing *weighing, uint64_t now)
{
    uint64_t own = now > weighing->forked ? now - weighing->forked : 0;

    return own + keel_weighing_least((weighing->weight - 1) * own, weighing->beyond);
}

/* What a piece of it counts, from <= to. */
static inline uint64_t keel_weighing_between(const struct keel_weighing *weighing, uint64_t from,
                                             uint64_t to)
{
    return keel_weighing_until(weighing, to) - keel_weighing_until(weighing, from);
}

/* The sum of squares that goes with a time that counts as `counted`: its own, and that of the
 * others, which are taken to be equal. ticks^2 */
static inline double keel_weighing_squares(const struct keel_weighing *weighing, uint64_t own,
                                           uint64_t counted)
{
    double others = (double)(counted - own);

    return (double)own * (double)own +
           (weighing->weight > 1 ? others * others / (double)(weighing->weight - 1) : 0);
}

/* The recorded instance has joined. */
static inline void keel_weighing_time_join(struct keel_weighing_time *time,
                                           const struct keel_weighing *weighing, uint64_t now)
{
    uint64_t own = now > weighing->forked ? now - weighing->forked : 0;

    time->kept -= keel_weighing_least(keel_weighing_until(weighing, now) - own, time->kept);
    time->joined = now;
}

/* --- teams --- */

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
