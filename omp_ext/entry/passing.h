/* Short regions that need nothing of Keel are passed on to libgomp as they are: for the entry point
 * of regions without a loop of their own.
 *
 *   region under Keel -> none of its loops asks -> learned -> passed on to libgomp
 *           ^                                                          |
 *           +------- a loop that asks; every 251st region -------------+
 *
 * Under Keel each thread of a region gets a state of its own. That costs as much as a short loop's
 * body, as the other threads have to be told of it. Nobody uses it where a region has no loops for
 * Keel, or only ones that divide themselves (site/mode.h). The thread that starts the region
 * decides alone. The others have no state there, and without one every loop of the team is as the
 * compiler and libgomp have it. So all of them do the same. */
#ifndef OMP_EXT_ENTRY_PASSING_H
#define OMP_EXT_ENTRY_PASSING_H

#include "omp_ext/entry/region.h"

/* What is kept while a region runs. */
struct keel_passing_watch {
    struct keel_passing_region *region; /* what is known of it; NULL: nothing is learned */
    uint64_t began;                     /* ticks */
    bool needs_keel;
};

/* Passes the region that the calling thread starts now on, and returns when it is over; false: it
 * has to run under Keel, and has not begun. */
bool keel_passing_run(struct keel_passing_watch *watch, void (*outlined)(void *), void *data,
                      unsigned threads, unsigned flags);

/* Then, the same region under Keel: before its team starts, and after it has joined. */
void keel_passing_fork(struct keel_passing_watch *watch, struct keel_region *region);
void keel_passing_join(const struct keel_passing_watch *watch);

#endif
