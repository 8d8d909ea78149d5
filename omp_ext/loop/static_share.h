/* One thread's part in a loop with static shares that its team has agreed on, and what that tells
 * of the loop.
 *
 *   agreement on static shares -> share of the thread, timed -> ends of all threads -> settled.h */
#ifndef OMP_EXT_LOOP_STATIC_SHARE_H
#define OMP_EXT_LOOP_STATIC_SHARE_H

#include "omp_ext/loop/loop.h"

/* The iterations [*first, *last) of a loop of `iterations` that static shares give to thread
 * `thread` of `threads`: as libgomp and the compiler divide it, the first threads having one more.
 */
static inline void keel_static_share_of(uint64_t iterations, uint32_t threads, uint32_t thread,
                                        uint64_t *first, uint64_t *last)
{
    uint64_t equal = iterations / threads, longer = iterations % threads;

    *first = equal * thread + (thread < longer ? thread : longer);
    *last = *first + equal + (thread < longer);
}

/* Begins the thread's part in an instance under `policy`, one of static shares. */
void keel_static_share_start(struct keel_loop *loop, struct keel_instance *instance,
                             const struct keel_policy *policy);

/* The thread's share when it is called first; then false, and its part is over. */
bool keel_static_share_next(struct keel_loop *loop, uint64_t *first, uint64_t *last);

#endif
