/* From what a loop site has learned to an instance, and back.
 *
 *   record -> recall() -> shared state -> threads -> parts -> learn() -> record */
#ifndef OMP_EXT_LOOP_EXPERIENCE_H
#define OMP_EXT_LOOP_EXPERIENCE_H

#include "omp_ext/loop/shared_state.h"

/* Fills in what an instance begins with: shared_state->policy, record (whose lock the
 * caller holds; NULL: nothing is known), space and threads are set. */
void keel_experience_recall(struct keel_shared_state *shared_state);

/* Takes in what the instance has shown, unless another instance of the site is doing so. All
 * threads have left. */
void keel_experience_learn(struct keel_shared_state *shared_state);

/* Lets go of what the shared state refers to. */
void keel_experience_drop(struct keel_shared_state *shared_state);

#endif
