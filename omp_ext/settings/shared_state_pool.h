/* Where shared states are kept for the next instance. */
#ifndef OMP_EXT_SETTINGS_SHARED_STATE_POOL_H
#define OMP_EXT_SETTINGS_SHARED_STATE_POOL_H

#include <stdatomic.h>

#define KEEL_SHARED_STATES_KEPT \
    8 /* as many instances of one loop may run at once without allocating */

struct keel_shared_state;

/* {0} at first. Slots are exchanged, so any thread may take and give. */
struct keel_shared_state_pool {
    _Atomic(struct keel_shared_state *) kept[KEEL_SHARED_STATES_KEPT];
};

#endif
