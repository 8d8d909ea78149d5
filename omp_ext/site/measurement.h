/* What a loop site has measured for a policy that lacks something: parameters, weights, blocks.
 *
 *   policy asked for -> probe, timed -> keel_measurement_add() -> completed policy, timed -> ...
 *                                                              -> completed policy, untimed
 *
 * A schedule that learns by itself has a completed policy from the start: the learner. */
#ifndef OMP_EXT_SITE_MEASUREMENT_H
#define OMP_EXT_SITE_MEASUREMENT_H

#include <stdatomic.h>

#include "omp_ext/settings/policy.h"
#include "omp_ext/site/call_site.h"
#include "schedules/learn/cost.h"

struct keel_measurement;

/* All of one site. {0} at first. */
struct keel_measurements {
    _Atomic(struct keel_measurement *) first;
    unsigned count; /* guarded by keel_slow_lock */
};

/* What loops at `place` run under where `wanted`, which lacks something, was asked for. recheck: it
 * is time to measure again. Any thread; takes keel_slow_lock on the first visits only. */
const struct keel_policy *keel_measurement_policy(struct keel_measurements *measurements,
                                                  const struct keel_call_site *place,
                                                  const struct keel_policy *wanted, bool recheck);

/* The same where nothing can be kept for the site. */
const struct keel_policy *keel_measurement_unknown_policy(const struct keel_policy *wanted);

/* Adds what one thread of `threads` measured in one instance of `iterations` iterations. Once a
 * whole loop has been measured, the policy is completed, and after a few instances they are no
 * longer timed. start_ns: what starting the instance has taken beyond agreeing on it; 0: not known.
 * Called by each thread of the team at the end of the instance; takes keel_slow_lock. */
void keel_measurement_add(struct keel_measurement *measurement, const struct keel_cost *cost,
                          uint64_t iterations, uint64_t threads, double start_ns);

/* Whether instances under a policy of this measurement are still to be timed. Any thread. */
bool keel_measurement_is_wanted(const struct keel_measurement *measurement);

/* What is known for one policy. */
struct keel_measurement_view {
    const struct keel_call_site *place;
    const struct keel_policy *wanted;
    const struct keel_policy *completed; /* NULL: still being measured */
    struct keel_site_records *records;
    const struct keel_cost *cost; /* of measured parameters */
    struct keel_settled_site *settled_site;
    const struct keel_candidates *candidates; /* of a schedule that chooses; else NULL */
};

typedef void keel_measurement_visitor(const struct keel_measurement_view *view, void *context);

/* Visits all of a site. Call with keel_slow_lock held. */
void keel_measurement_each(struct keel_measurements *measurements,
                           const struct keel_call_site *place, keel_measurement_visitor *visit,
                           void *context);

#endif
