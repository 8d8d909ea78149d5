/* One thread's part in a loop that measures itself: its claims, and its report.
 *
 * Called by the thread that the loop state belongs to. */
#ifndef OMP_EXT_LOOP_ADAPTIVE_H
#define OMP_EXT_LOOP_ADAPTIVE_H

#include "omp_ext/loop/loop.h"

/* Enters the instance. Returns the policy whose plan gives the thread's chunks; NULL: the loop is
 * in mode KEEL_LOOP_ADAPTIVE now. */
const struct keel_policy *keel_adaptive_start(struct keel_loop *loop,
                                              struct keel_instance *instance,
                                              const struct keel_policy *policy);

/* The next chunk [*first, *last) in mode KEEL_LOOP_ADAPTIVE; false: none is left. */
bool keel_adaptive_next(struct keel_loop *loop, uint64_t *first, uint64_t *last);

/* Leaves the instance: the loop is over for this thread, or was cancelled. */
void keel_adaptive_leave(struct keel_loop *loop);

#endif
