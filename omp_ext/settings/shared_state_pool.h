/* Where arenas wait for their next instance. */
#ifndef OMP_EXT_SETTINGS_SHARED_STATE_POOL_H
#define OMP_EXT_SETTINGS_SHARED_STATE_POOL_H

#include <stdatomic.h>

#define KEEL_ARENAS_KEPT 8 /* as many instances of one loop may run at once without allocating */

struct keel_arena;

/* {0} at first. Slots are exchanged, so any thread may take and give. */
struct keel_arena_pool {
    _Atomic(struct keel_arena *) kept[KEEL_ARENAS_KEPT];
};

#endif
