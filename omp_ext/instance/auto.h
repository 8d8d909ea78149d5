/* `auto` at a loop site: picks the policy of the next instance, and learns from its time.
 *
 *   keel_auto_run() -> shared_state->run -> instance -> its time -> keel_auto_learn()
 *        ^                                                               |
 *        |                     profile, speeds (of measured instances) --+
 *        +-- record->auto_state->choice <-- forecasts <------------------+
 *
 * Call everything with the record's lock held. */
#ifndef OMP_EXT_INSTANCE_AUTO_H
#define OMP_EXT_INSTANCE_AUTO_H

#include "omp_ext/instance/shared_state.h"

/* Sets shared_state->run and shared_state->candidate for the next instance. */
void keel_auto_run(struct keel_shared_state *shared_state);

/* Counts that the instance took `time_ns`, after record->blocks has learned. */
void keel_auto_learn(struct keel_shared_state *shared_state, double time_ns);

#endif
