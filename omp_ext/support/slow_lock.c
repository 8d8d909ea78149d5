/* The one lock of libkeel.so. */
#define _GNU_SOURCE
#include "omp_ext/support/slow_lock.h"

#include <link.h>
#include <pthread.h>

#include "omp_ext/support/uncancelled.h"

_Atomic unsigned keel_slow_lock_forks;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_handled = PTHREAD_ONCE_INIT;

static _Atomic pthread_t owner; /* 0: no thread */

static int cancel_state; /* of the owner, before it locked */

/* The owner can't be cancelled: no other thread would ever get the lock. */
static void lock_mutex(void)
{
    int state = keel_uncancelled_begin();

    pthread_mutex_lock(&mutex);
    cancel_state = state;
    atomic_store_explicit(&owner, pthread_self(), memory_order_relaxed);
}

static void unlock_mutex(void)
{
    int state = cancel_state;

    atomic_store_explicit(&owner, 0, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
    keel_uncancelled_end(state);
}

static void unlock_in_child(void)
{
    atomic_fetch_add_explicit(&keel_slow_lock_forks, 1, memory_order_relaxed);
    unlock_mutex();
}

/* Holding the lock across fork hands the child a consistent state and a lock that its only thread
 * owns. */
static void handle_fork(void)
{
    pthread_atfork(lock_mutex, unlock_mutex, unlock_in_child);
}

void keel_slow_lock(void)
{
    pthread_once(&fork_handled, handle_fork);
    lock_mutex();
}

void keel_slow_unlock(void)
{
    unlock_mutex();
}

bool keel_slow_lock_is_own(void)
{
    /* relaxed: a thread sees what it has written itself */
    return atomic_load_explicit(&owner, memory_order_relaxed) == pthread_self();
}

int keel_slow_lock_objects(int (*visit)(struct dl_phdr_info *, size_t, void *), void *context)
{
    bool own = keel_slow_lock_is_own();

    if (!own) {
        keel_slow_lock();
    }
    int found = dl_iterate_phdr(visit, context);
    if (!own) {
        keel_slow_unlock();
    }
    return found;
}
