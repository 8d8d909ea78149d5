/* Loops that are shorter than their scheduling can ever pay: found, run with static shares, and
 * looked at again now and then.
 *
 *   a site's first instances, timed -> short? -> trials: static shares, timed -> worthwhile.h
 *                                                   ^                               |
 *                        every 251st region --------+        scheduled, or settled <+
 *
 * A settled loop of a region has no work share of libgomp's: each thread takes its static share and
 * tells nobody. So all threads of the team have to know by themselves that the loop is settled.
 * They do, as they know it as of the beginning of their region. There is one count for the process,
 * the epoch; the thread that starts a region takes it down for all of them. What is settled changes
 * at an epoch that nobody has seen yet: it is noted first, and then the count is moved to it. So
 *
 *     settled in a region of epoch e  ==  an odd number of changes were made at epochs <= e
 *
 * says the same to all threads of the region, whenever they ask. Where a region began too early for
 * that, or has to check loops again, its threads agree on each instance as they do on every
 * schedule; and such an agreement may cover the site's next instances in the region, too (a lease),
 * which each thread counts for itself.
 *
 * Other teams, and other sites, do not matter: a change is only ever noted in one place. Its list
 * of changes is bounded; once it is full, what is settled stays. */
#ifndef OMP_EXT_SITE_SETTLED_H
#define OMP_EXT_SITE_SETTLED_H

#include "omp_ext/settings/policy.h"
#include "omp_ext/support/brief_lock.h"
#include "schedules/learn/worthwhile.h"

#define KEEL_CHANGES_MAX 8      /* of what is settled */
#define KEEL_SETTLED_MAX 32     /* team sizes and lengths of a site and schedule; others are not */
#define KEEL_LEASE_INSTANCES 64 /* instances that an agreement covers beyond its own */
#define KEEL_RECHECK_EACH \
    251 /* regions of a thread between two looks; prime, as programs repeat
                                    their regions in cycles */

enum keel_settled_phase {
    KEEL_SETTLED_NEW,
    KEEL_SETTLED_TRYING,    /* instances run with static shares, timed */
    KEEL_SETTLED_SCHEDULED, /* by the schedule that was asked for */
    KEEL_SETTLED_STATIC,
};

/* Loops of one site, schedule, team size and length (within a factor of two). Never freed; fields
 * without a note do not change once it can be found. */
struct keel_settled {
    uint64_t threads;
    unsigned length; /* floor(log2 iterations) */
    struct keel_settling *settling;
    struct keel_settled *next;
    struct keel_policy trial; /* static shares, timed for this */
    struct keel_policy
        lease; /* the same, and as many instances as KEEL_LEASE_INSTANCES after it untimed */
    struct keel_policy untimed;                /* static shares of a combined loop, untimed */
    _Atomic uint64_t change[KEEL_CHANGES_MAX]; /* epochs; 0: not made yet */
    _Atomic(enum keel_settled_phase) phase;
    struct keel_brief_lock lock; /* guards what follows */
    struct keel_trials trials;
    double cost_ns; /* of scheduling, when it was compared last */
};

/* What all loops of a site and schedule share. {0} at first. */
struct keel_settling {
    _Atomic(struct keel_settled *) first;
    unsigned count;       /* guarded by keel_slow_lock */
    atomic_bool measured; /* the rest is known */
    /* Written by keel_settled_measured(). */
    _Atomic double iteration_ns; /* mean of the quickest instance of any thread */
    _Atomic double claim_ns;
    _Atomic double chunks;    /* per iteration */
    _Atomic double start_ns;  /* beyond what agreeing takes */
    _Atomic uint64_t threads; /* of the last team */
};

extern _Atomic uint64_t keel_settled_epoch;

/* For a region that the calling thread starts now. */
static inline uint64_t keel_settled_current_epoch(void)
{
    /* acquire: pairs with the release in change(): changes up to this epoch are seen, by the
     * threads of the region as well, as starting it orders them after this */
    return atomic_load_explicit(&keel_settled_epoch, memory_order_acquire);
}

/* Whether the region or combined loop that the calling thread starts now looks at loops again. */
bool keel_settled_recheck_due(void);

/* Whether loops of `iterations` under `policy` are settled for a team of `threads` in regions of
 * that epoch: all of these get the same answer. */
bool keel_settled_at(const struct keel_policy *policy, uint64_t threads, uint64_t iterations,
                     uint64_t epoch);

/* What a thread proposes to its team instead of `policy`, or `policy`. recheck: the region looks at
 * loops again. Takes keel_slow_lock for the first loop of its kind. */
const struct keel_policy *keel_settled_propose(const struct keel_policy *policy, uint64_t threads,
                                               uint64_t iterations, bool recheck);

/* The same for a combined loop, whose team follows. */
const struct keel_policy *keel_settled_propose_combined(const struct keel_policy *policy,
                                                        uint64_t iterations);

/* What the first instances have shown. Under keel_slow_lock. */
void keel_settled_measured(struct keel_settling *settling, const struct keel_settling *facts);

/* Takes in a trial: ends of `threads` threads, ns from the first one's beginning. */
void keel_settled_learn(struct keel_settled *settled, uint64_t threads, double last_ns,
                        double mean_ns, double start_ns);

#endif
