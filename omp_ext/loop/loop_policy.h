/* Which policy a loop of this thread runs under.
 *
 *   KEEL_SCHEDULE, or keel_set_schedule(), or OMP_SCHEDULE -> default policy
 *     -> rule and measurement of the site -> [loan, settled] -> policy of the loop
 */
#ifndef OMP_EXT_LOOP_LOOP_POLICY_H
#define OMP_EXT_LOOP_LOOP_POLICY_H

#include "omp_ext/gomp/libgomp.h"
#include "omp_ext/instance/space.h"
#include "omp_ext/settings/activity.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/site/site.h"

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
 * again, see site.h. Call once for each. */
bool keel_loop_recheck_due(void);

/* What that will say the next time. */
bool keel_loop_recheck_is_next(void);

#endif
