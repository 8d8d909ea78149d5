/* Short regions that need nothing of Keel: finding them.
 *
 *   region under Keel -> none of its loops asks -> learned -> passed on to libgomp
 *           ^                                                          |
 *           +------- a loop that asks; every 251st region -------------+
 *
 * Under Keel each thread of a region gets a state of its own. That costs as much as a short loop's
 * body, as the other threads have to be told of it. Nobody uses it where a region has no loops for
 * Keel, or only ones that divide themselves (mode.h). The thread that starts the region decides
 * alone. The others have no state there, and without one every loop of the team is as the compiler
 * and libgomp have it. So all of them do the same. */
#ifndef OMP_EXT_SITE_PASSED_REGION_H
#define OMP_EXT_SITE_PASSED_REGION_H

#include <stdbool.h>

/* A region of the program, by the function that its threads run. */
struct keel_known_region;

/* What is known of a region; NULL: there is no room. Any thread. */
struct keel_known_region *keel_known_region(void (*outlined)(void *));

/* Whether it is passed on. */
bool keel_known_region_is_passed(const struct keel_known_region *region);

/* Learns from an instance that has run under Keel. needs_keel: some of its loops have asked;
 * region_ns: how long it took, not used then. */
void keel_known_region_learn(struct keel_known_region *region, bool needs_keel, double region_ns);

/* An instance that was passed on would have needed Keel. */
void keel_known_region_return(struct keel_known_region *region);

#endif
