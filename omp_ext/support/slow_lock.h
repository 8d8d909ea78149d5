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

#endif
