/* Steps of a thread of the program in Keel, perhaps with a lock, during which it must not be
 * cancelled: the program calls a loop, not a cancellation point (pthread_cancel).
 *
 *   int state = keel_uncancelled_begin();
 *   ... open(), write() ...
 *   keel_uncancelled_end(state);      a request that has come meanwhile counts from then on
 *
 * Such steps may be nested. Not for every chunk. */
#ifndef OMP_EXT_SUPPORT_UNCANCELLED_H
#define OMP_EXT_SUPPORT_UNCANCELLED_H

#include <pthread.h>

static inline int keel_uncancelled_begin(void)
{
    int state = PTHREAD_CANCEL_ENABLE;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

static inline void keel_uncancelled_end(int state)
{
    pthread_setcancelstate(state, NULL);
}

#endif
