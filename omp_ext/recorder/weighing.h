/* What a recorded instance of a region stands for: itself, and those before it that were skipped.
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
#ifndef OMP_EXT_RECORDER_WEIGHING_H
#define OMP_EXT_RECORDER_WEIGHING_H

#include <stdint.h>

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

#endif
