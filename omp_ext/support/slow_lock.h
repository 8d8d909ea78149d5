/* The one lock of libkeel.so, for what happens once per policy, loop site, loan or process; never
 * per chunk or repeated loop. Survives fork. Its owner can't be cancelled (pthread_cancel). */
#ifndef OMP_EXT_SUPPORT_SLOW_LOCK_H
#define OMP_EXT_SUPPORT_SLOW_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct dl_phdr_info;

extern _Atomic unsigned keel_slow_lock_forks;

void keel_slow_lock(void);
void keel_slow_unlock(void);

/* Whether the calling thread holds it. */
bool keel_slow_lock_is_own(void);

/* dl_iterate_phdr() under the lock, which the caller may have: glibc's lock of its list stays taken
 * in a child that is forked while another thread is in there, and the child would wait for ever. */
int keel_slow_lock_objects(int (*visit)(struct dl_phdr_info *, size_t, void *), void *context);

/* 1 in the process that loaded the library, one more in each child that was forked after the first
 * keel_slow_lock(), and so on. */
static inline unsigned keel_slow_lock_generation(void)
{
    /* relaxed: changes only in a child, before it has a second thread */
    return atomic_load_explicit(&keel_slow_lock_forks, memory_order_relaxed) + 1;
}

/* --- a lock without waiting ---
 *
 * A thread that finds it taken does without. For what the instances of one loop site share, held
 * for microseconds. */

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
