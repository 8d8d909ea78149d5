/* Short regions that Keel passes on to libgomp as they are, see site/passed_region.h: for the entry
 * point of regions without a loop of their own. */
#ifndef OMP_EXT_ENTRY_PASSING_H
#define OMP_EXT_ENTRY_PASSING_H

#include "omp_ext/entry/region.h"
#include "omp_ext/site/passed_region.h"

/* What is known of the region that the calling thread starts now, which is not observed; NULL: it
 * is not to be passed on, and nothing is to be learned. */
struct keel_known_region *keel_passing_region(void (*outlined)(void *));

/* Passes it on if nothing speaks against it; false: it has to run under Keel. */
bool keel_passing_run(struct keel_known_region *known, const struct keel_libgomp *libgomp,
                      void (*outlined)(void *), void *data, unsigned threads, unsigned flags);

/* The same region under Keel: before its team starts, and after it has joined. known may be NULL.
 */
struct keel_passing_watch {
    struct keel_known_region *known; /* NULL: nothing is learned */
    uint64_t began;                  /* ticks */
    struct keel_met_loops met;
};
void keel_passing_fork(struct keel_passing_watch *watch, struct keel_known_region *known,
                       struct keel_region *region);
void keel_passing_join(const struct keel_passing_watch *watch, const struct keel_region *region);

#endif
