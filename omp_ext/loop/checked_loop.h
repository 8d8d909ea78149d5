/* One thread's part in a loop under an adversarial schedule, for `keel check`.
 *
 *   keel_checked_loop_start() -> [delays] -> keel_checked_loop_next() -> chunk
 *
 * Called by the thread that the loop state belongs to. */
#ifndef OMP_EXT_LOOP_CHECKED_LOOP_H
#define OMP_EXT_LOOP_CHECKED_LOOP_H

#include "omp_ext/loop/loop.h"

/* Joins an instance under a policy of keel_check_policy() that is adversarial. */
void keel_checked_loop_start(struct keel_loop *loop, struct keel_instance *instance,
                             const struct keel_call_site *place, bool in_order);

/* The thread's next chunk; false: none. May sleep. */
bool keel_checked_loop_next(struct keel_loop *loop, uint64_t *first, uint64_t *last);

#endif
