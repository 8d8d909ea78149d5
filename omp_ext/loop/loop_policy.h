/* Which policy a loop of this thread runs under.
 *
 *   KEEL_SCHEDULE, or keel_set_schedule(), or OMP_SCHEDULE -> default policy
 *     -> rule and measurement of the site -> [loan, settled] -> policy of the loop
 */
#ifndef OMP_EXT_LOOP_LOOP_POLICY_H
#define OMP_EXT_LOOP_LOOP_POLICY_H

#include <stdatomic.h>

#include "omp_ext/gomp/libgomp.h"
#include "omp_ext/instance/space.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/site/call_site.h"

/* What has been asked of Keel in this process: nothing, only to observe what libgomp does
 * (observe/observe.h), or to schedule loops, and perhaps to observe as well. */
enum keel_activity { KEEL_UNKNOWN, KEEL_OFF, KEEL_OBSERVES, KEEL_ON };
extern _Atomic int keel_activity;

/* Use keel_loop_active(). */
enum keel_activity keel_loop_find_activity(void);

static inline enum keel_activity keel_loop_activity(void)
{
    /* relaxed: keel_settings() orders what it hands out by itself */
    int activity = atomic_load_explicit(&keel_activity, memory_order_relaxed);

    return __builtin_expect(activity == KEEL_UNKNOWN, 0) ? keel_loop_find_activity()
                                                         : (enum keel_activity)activity;
}

/* Whether Keel has to schedule anything. */
static inline bool keel_loop_active(void)
{
    return __builtin_expect(keel_loop_activity() == KEEL_ON, 0);
}

/* Whether it has to do anything at all. While it has not, entry points pass on at once. */
static inline bool keel_loop_attends(void)
{
    return __builtin_expect(keel_loop_activity() != KEEL_OFF, 0);
}

/* Whether that is known to be so: a test that calls nothing. */
static inline bool keel_loop_is_known_off(void)
{
    return __builtin_expect(atomic_load_explicit(&keel_activity, memory_order_relaxed) == KEEL_OFF,
                            1);
}

/* Whether it is known to observe, and to do nothing else: likewise. */
static inline bool keel_loop_only_observes(void)
{
    return atomic_load_explicit(&keel_activity, memory_order_relaxed) == KEEL_OBSERVES;
}

/* Has Keel schedule loops from now on. Any thread. */
void keel_loop_activate(void);

/* The policy of this thread's next loop where no rule means it, measured parameters not filled in;
 * NULL: none has been asked for. */
const struct keel_policy *keel_loop_default_policy(void);

/* The policy for a loop in this thread; NULL: the loop is libgomp's. It keeps to the grain. Call
 * only while keel_loop_active(). */
const struct keel_policy *keel_loop_policy(const struct keel_libgomp *libgomp,
                                           const struct keel_construct *construct);

/* The same for a combined parallel loop over `space` that starts now: it takes the pending loan, or
 * is static where its site is settled. */
const struct keel_policy *keel_loop_combined_policy(const struct keel_libgomp *libgomp,
                                                    const struct keel_construct *construct,
                                                    const struct keel_space *space);

/* Whether a loop of this region may take a loan, so that its threads have to agree on a policy also
 * where it is libgomp's. */
bool keel_loop_may_be_lent(void);

/* Whether the region or combined loop that the calling thread starts now tries short loops
 * again, see settled.h. Call once for each. */
bool keel_loop_recheck_due(void);

/* What that will say the next time. */
bool keel_loop_recheck_is_next(void);

#endif
