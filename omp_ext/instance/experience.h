/* Copies what the site has learned into a new instance, and back.
 *
 *   record -> recall() -> shared state -> threads -> reports -> learn() -> record */
#ifndef OMP_EXT_INSTANCE_EXPERIENCE_H
#define OMP_EXT_INSTANCE_EXPERIENCE_H

#include "omp_ext/instance/shared_state.h"

/* Fills in what an instance begins with. shared_state->policy, record (whose lock the caller holds;
 * NULL: nothing is known), space and threads are set. costs: that the calling thread has been
 * given; NULL: none. */
void keel_experience_recall(struct keel_shared_state *shared_state, struct keel_known_costs *costs);

/* Learns from what the threads have reported, unless another instance of the site is learning now.
 * All threads have left. */
void keel_experience_learn(struct keel_shared_state *shared_state);

/* Releases the costs that the shared state holds. */
void keel_experience_drop(struct keel_shared_state *shared_state);

#endif
