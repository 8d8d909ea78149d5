/* What the threads of a team have learned at a loop site: a lane each, kept for later instances.
 *
 * Instances of one site that run at once in teams of one size share the lanes. That is harmless:
 * paces only set how much a thread takes, never which iterations. */
#ifndef OMP_EXT_LANES_H
#define OMP_EXT_LANES_H

#include <stdatomic.h>

#include "schedules/loop/sample.h"

#define KEEL_TEAM_SIZES_MAX 16 /* per site and schedule; teams of further sizes learn nothing */

/* Of one thread number; `pace_ns` is read by all. */
struct keel_lane {
    _Alignas(64) _Atomic double pace_ns; /* 0: not measured */
    atomic_flag busy;         /* held while `loops` is written: two teams may end at once */
    struct keel_sample loops; /* whole instances */
};

struct keel_lanes {
    uint64_t threads;
    struct keel_lanes *next;
    struct keel_lane lane[];
};

/* The lanes of all team sizes that have been at a site; {0} at first. */
struct keel_memory {
    _Atomic(struct keel_lanes *) first;
    unsigned sizes; /* guarded by keel_slow_lock */
};

/* The lanes for teams of `threads` threads. NULL: no room. Any thread; takes keel_slow_lock when it
 * meets a team size for the first time. */
struct keel_lanes *keel_memory_lanes(struct keel_memory *memory, uint64_t threads);

/* The weight of thread `thread` by the paces of now; 1 if it has not been measured. */
double keel_lanes_weight(const struct keel_lanes *lanes, uint64_t thread);

#endif
