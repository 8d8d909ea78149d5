/* Short regions that Keel passes on to libgomp as they are, see site/passed_region.h: for the entry
 * point of regions without a loop of their own. */
#ifndef OMP_EXT_ENTRY_PASSING_H
#define OMP_EXT_ENTRY_PASSING_H

#include "omp_ext/entry/region.h"
#include "omp_ext/site/passed_region.h"

/* What is kept while a region runs. */
struct keel_passing_watch {
    struct keel_known_region *known; /* NULL: nothing is learned */
    uint64_t began;                  /* ticks */
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
