/* Short regions that Keel passes on to libgomp as they are, see site/passed_region.h: for the entry
 * point of regions without a loop of their own. */
#ifndef OMP_EXT_ENTRY_PASSING_H
#define OMP_EXT_ENTRY_PASSING_H

#include "omp_ext/entry/region.h"
#include "omp_ext/site/passed_region.h"

/* Passes the region that the calling thread starts now on, and returns when it is over; false: it
 * has to run under Keel, and has not begun. */
bool keel_passing_run(void (*outlined)(void *), void *data, unsigned threads, unsigned flags);

/* The same region under Keel: before its team starts, and after it has joined. */
struct keel_passing_watch {
    struct keel_known_region *known; /* NULL: nothing is learned */
    uint64_t began;                  /* ticks */
    bool needs_keel;
};
void keel_passing_fork(struct keel_passing_watch *watch, struct keel_region *region);
void keel_passing_join(const struct keel_passing_watch *watch);

#endif
