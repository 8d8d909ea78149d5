/* Loops under adversarial schedules, for `keel check` (KEEL_CHECK).
 *
 *   keel_loop_policy() -> keel_check_policy() -> the team agrees -> keel_check_start()
 *       -> [who is held, for how long] -> keel_check_next() -> chunk
 *
 * What the schedule gives each thread is a function of the seed, the loop's name and the number of
 * the instance (schedules/claim/adversary.h). Threads are delayed here: before a region, before a
 * loop, so long that all others have left it, and between chunks. Delays become rarer with the
 * number of instances, so that a program with a million loops ends. */
#ifndef OMP_EXT_CHECK_CHECK_H
#define OMP_EXT_CHECK_CHECK_H

#include "omp_ext/loop/loop.h"
#include "omp_ext/settings/settings.h"

static inline bool keel_check_wanted(void)
{
    return __builtin_expect(keel_settings()->check.on, 0);
}

/* The policy for a loop that this thread begins; NULL: libgomp's. */
const struct keel_policy *keel_check_policy(const struct keel_construct *construct);

/* What stands for an adversarial policy in an ordered loop; NULL: no memory. */
const struct keel_policy *keel_check_ordered_policy(void);

/* Joins an instance under a policy of keel_check_policy's that is adversarial. */
void keel_check_start(struct keel_loop *loop, struct keel_instance *instance,
                      const struct keel_call_site *place, bool in_order);

/* The thread's next chunk; false: none. May sleep. */
bool keel_check_next(struct keel_loop *loop, uint64_t *first, uint64_t *last);

/* A region that begins at `caller`, for its threads to know; NULL where nothing is checked. */
struct keel_check_site *keel_check_begin_region(const void *caller);

/* Once per thread, at the begin of an active region. May sleep. */
void keel_check_delay_region(const struct keel_check_site *region);

/* At the end of a loop without a barrier: whether it has to get one. */
bool keel_check_wants_barrier(void);

/* The thread passes a barrier. */
static inline void keel_check_passed_barrier(void)
{
    keel_thread.check.loop = NULL;
    keel_thread.check.ended = NULL;
}

#endif
