/* A thread's wait at the end of a region: the thread knows when it begins, and who has met the
 * construct knows when it ends.
 *
 *   end of the thread's part -> [wait] <- join -> event, by the thread or by who writes its line
 */
#ifndef OMP_EXT_TRACE_REGION_WAIT_H
#define OMP_EXT_TRACE_REGION_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/trace/text/event.h"

/* Written by its thread, and emptied by whoever takes it. */
struct keel_region_wait {
    _Atomic uint64_t region; /* number; 0: the thread does not wait. Written last */
    _Atomic uint64_t began;  /* ticks */
    _Atomic(struct keel_site *) site;
};

/* The thread waits from `began` on, ticks. */
void keel_region_wait_begin(struct keel_region_wait *wait, uint64_t region, struct keel_site *site,
                            uint64_t began);

/* All threads of the region have come, `now`. */
void keel_region_wait_over(uint64_t region, uint64_t now);

/* Makes an event of the wait, if there is one and it is known to be over; once. Any thread. */
bool keel_region_wait_take(struct keel_region_wait *wait, struct keel_event *event);

/* The same of one that is over by `now`, ticks, for its thread does something else. */
bool keel_region_wait_take_by(struct keel_region_wait *wait, uint64_t now,
                              struct keel_event *event);

#endif
