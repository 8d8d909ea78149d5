/* A lock that nobody waits for: whoever finds it taken does without. For what the instances of one
 * loop site share, held for microseconds. */
#ifndef OMP_EXT_SUPPORT_BRIEF_LOCK_H
#define OMP_EXT_SUPPORT_BRIEF_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "omp_ext/support/slow_lock.h"

/* The generation (slow_lock.h) of the process that holds it; 0: free. A holder that a fork has left
 * behind in the parent process does not count. {0} at first. */
struct keel_brief_lock {
    _Atomic unsigned holder;
};

static inline bool keel_brief_lock_try(struct keel_brief_lock *lock)
{
    unsigned generation = keel_slow_lock_generation();
    unsigned holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);

    /* acquire: pairs with the release in keel_brief_lock_release() */
    return holder != generation &&
           atomic_compare_exchange_strong_explicit(&lock->holder, &holder, generation,
                                                   memory_order_acquire, memory_order_relaxed);
}

static inline void keel_brief_lock_release(struct keel_brief_lock *lock)
{
    atomic_store_explicit(&lock->holder, 0, memory_order_release);
}

#endif
