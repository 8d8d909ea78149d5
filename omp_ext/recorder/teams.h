/* Team places: the records of a region's teams and of their loops and parts.
 *
 *   fork -> team place: one for each running region -> entries of its loops and parts
 *
 * A team place belongs to one team from fork to join, so its threads count in it without atomic
 * operations, each in its own cache lines. Team places and their contents are never freed. */
#ifndef OMP_EXT_RECORDER_TEAMS_H
#define OMP_EXT_RECORDER_TEAMS_H

#include <stdint.h>

#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/observe/observe.h"
#include "omp_ext/recorder/recording_format.h"

/* --- the weight of a recorded instance of a region ---
 *
 * A recorded instance counts for itself and for the skipped ones before it.
 *
 *   time of the initial thread:  | recorded | skipped and serial | recorded | ...
 *                                             \_ kept: time that later samples may count as skipped
 *
 * An interrupted instance is not representative of those before it. So samples count no more for
 * skipped instances than the time that has passed outside of recorded ones:
 *
 *   counted for skipped instances + kept == time outside of recorded instances
 *
 * The sum of all samples is then never longer than the run. Times are in ticks. */

/* One recorded instance. */
struct keel_weighing {
    uint64_t forked; /* when it began */
    uint64_t weight; /* number of instances it counts for, itself included */
    uint64_t beyond; /* most time that it may count for the others */
};

/* Time of the initial thread outside of recorded instances. */
struct keel_weighing_time {
    uint64_t kept;   /* not yet counted by a sample */
    uint64_t joined; /* time of the last join of a recorded instance; 0: none yet */
};

/* A sample counts at most this many times the time since the sample before it. More than once, as
 * instances of one region differ; limited, so that an interrupted instance does not count for the
 * whole run. */
#define KEEL_WEIGHING_TIMES 16

static inline uint64_t keel_weighing_least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* Called when the initial thread begins a recorded instance. */
static inline void keel_weighing_time_fork(struct keel_weighing_time *time, uint64_t now)
{
    time->kept += time->joined != 0 && now > time->joined ? now - time->joined : 0;
    time->joined = now;
}

/* The weighing of that instance, after `skipped` ones of its region since the last recorded one,
 * which joined at `since`. */
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

/* The counted time of a thread that has been in the instance until `now`: `weight` times its own
 * time, until `beyond` is used up for the others; after that, once. So the counted times of
 * consecutive pieces add up. */
static inline uint64_t keel_weighing_until(const struct keel_weighing *weighing, uint64_t now)
{
    uint64_t own = now > weighing->forked ? now - weighing->forked : 0;

    return own + keel_weighing_least((weighing->weight - 1) * own, weighing->beyond);
}

/* The counted time of a piece of it, from <= to. */
static inline uint64_t keel_weighing_between(const struct keel_weighing *weighing, uint64_t from,
                                             uint64_t to)
{
    return keel_weighing_until(weighing, to) - keel_weighing_until(weighing, from);
}

/* The sum of squares for a time counted as `counted`: the square of its own and those of the
 * others, which are assumed equal. ticks^2 */
static inline double keel_weighing_squares(const struct keel_weighing *weighing, uint64_t own,
                                           uint64_t counted)
{
    double others = (double)(counted - own);

    return (double)own * (double)own +
           (weighing->weight > 1 ? others * others / (double)(weighing->weight - 1) : 0);
}

/* Called when the recorded instance has joined. */
static inline void keel_weighing_time_join(struct keel_weighing_time *time,
                                           const struct keel_weighing *weighing, uint64_t now)
{
    uint64_t own = now > weighing->forked ? now - weighing->forked : 0;

    time->kept -= keel_weighing_least(keel_weighing_until(weighing, now) - own, time->kept);
    time->joined = now;
}

/* --- teams --- */

/* Thread 0's sample of the threads' waits in one instance: the difference of their sums before it
 * and before the next one. */
struct keel_recorded_look {
    uint64_t waited;         /* by all threads before the instance */
    uint64_t weight;         /* of the sampled instance; 0 if none is being sampled */
    uint64_t threads, state; /* size of its team; state of the random numbers */
    uint64_t looks, pass;    /* samples so far; instances until the next one */
};

/* A loop, or a part of a region up to a barrier. */
struct keel_recorded_construct {
    struct keel_recording_entry *entry;
    struct keel_observed_loop like; /* thread 0's: the loop whose schedule was recorded */
    struct keel_recorded_look look; /* thread 0's */
};

#define KEEL_TEAM_CONSTRUCTS 32 /* slots, a power of two */

/* Fields without a comment never change after publication to other threads. */
struct keel_team_place {
    /* Written by the thread that starts a region: on cache lines of their own. */
    _Alignas(64) struct keel_skip skip; /* first: these are the entries of keel_skips */
    atomic_bool taken;
    struct keel_weighing weighing;       /* of the running instance */
    _Alignas(64) atomic_bool has_nested; /* the team starts regions itself; a hint */
    struct keel_call_site place;
    struct keel_site *site;
    _Atomic(struct keel_recording_entry *) entry; /* the largest so far; NULL: none yet */
    _Atomic(struct keel_team_construct *) constructs[KEEL_TEAM_CONSTRUCTS];
};

/* Takes a team place of a region, or of serial loops (place->caller NULL), for one team. initial:
 * the initial thread starts the region, outside of all others. now: ticks. Returns NULL if there is
 * no room. Any thread. */
struct keel_team_place *keel_team_place_take(const struct keel_call_site *place, bool initial,
                                             uint64_t now);

/* Called by the initial thread after the join of an instance that it has started outside of all
 * regions. */
void keel_team_place_join(const struct keel_team_place *team, uint64_t now);

/* Skips the next `instances` that the initial thread starts there. Called by that thread. */
void keel_team_place_skip(struct keel_team_place *team, uint64_t instances, uint64_t now);

/* At exit: adds the skipped instances that no recorded one counts for. */
void keel_team_places_end(void);

/* Releases the team place after the join of its team. */
void keel_team_place_release(struct keel_team_place *team);

/* The region's entry with room for `threads`; NULL if memory is short. Any thread of the team. */
struct keel_recording_entry *keel_team_place_entry(struct keel_team_place *team, uint32_t threads);

/* The record of a loop, or of the part that ends at the barrier that returns to place->caller, for
 * teams of `threads`. NULL if there is no room. Any thread of the team. */
struct keel_recorded_construct *keel_team_place_construct(struct keel_team_place *team,
                                                          enum keel_recording_kind kind,
                                                          const struct keel_call_site *place,
                                                          uint32_t threads);

#endif
