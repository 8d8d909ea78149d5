/* Short loops: finding them, and running them with static shares.
 *
 *   short     scheduling the loop costs more than it can gain (schedules/learn/worthwhile.h)
 *   settled   the site runs static shares, for loops of one length and teams of one size
 *
 *   a site's first instances, timed -> short? -> trials: static shares, timed -> worthwhile.h
 *                                                   ^                               |
 *                        every 251st region --------+        scheduled, or settled <+
 *
 * In every 251st region of a thread (keel_worthwhile_recheck()), short loops are timed again, with
 * static shares, and compared again, whether they are settled or not.
 *
 * A settled loop of a region is no work-sharing construct of libgomp's: each thread takes its
 * static share and calls nobody. So each thread of the team has to find by itself that the loop is
 * settled, and all have to find the same. They decide by what was settled when their region began.
 * A count of the process, the epoch, says what that was: the thread that starts a region reads it
 * for all of them. A change is first noted, with an epoch that no region has read yet, and then the
 * count is moved to that epoch. So
 *
 *     settled in a region of epoch e  ==  an odd number of changes were noted with epochs <= e
 *
 * gives all threads of the region the same answer, whenever they ask. Each site, length and team
 * size has a list of changes of its own. The list is bounded: once it is full, nothing changes.
 *
 * Leases: where the region began before the change, or times loops again, the threads of the
 * team agree on each instance, as they do on every policy. Such an agreement on static shares also
 * covers the next instances of the site in the region: a lease, which each thread counts down for
 * itself. */
#ifndef OMP_EXT_SITE_SETTLED_H
#define OMP_EXT_SITE_SETTLED_H

#include "omp_ext/settings/policy.h"
#include "omp_ext/support/brief_lock.h"
#include "schedules/learn/worthwhile.h"

#define KEEL_CHANGES_MAX 8 /* of one length and team size */
#define KEEL_SETTLED_MAX \
    32                          /* lengths and team sizes of a site and schedule; others are not
                                   settled */
#define KEEL_LEASE_INSTANCES 64 /* instances that an agreement covers beyond its own */

enum keel_settled_phase {
    KEEL_SETTLED_NEW,
    KEEL_SETTLED_TRYING,    /* instances run with static shares, timed */
    KEEL_SETTLED_SCHEDULED, /* by the schedule that was asked for */
    KEEL_SETTLED_STATIC,    /* settled */
};

/* The part of one length (within a factor of two) and team size at a site and schedule. Never
 * freed; fields without a note do not change once it can be found. */
struct keel_settled_length {
    uint64_t threads;
    unsigned length; /* floor(log2 iterations) */
    struct keel_settled_site *site;
    struct keel_settled_length *next;
    struct keel_policy trial;                  /* static shares, timed for this */
    struct keel_policy lease;                  /* the same, with a lease of KEEL_LEASE_INSTANCES */
    struct keel_policy untimed;                /* static shares of a combined loop */
    _Atomic uint64_t change[KEEL_CHANGES_MAX]; /* epochs; 0: not made yet */
    _Atomic(enum keel_settled_phase) phase;
    struct keel_brief_lock lock; /* guards what follows */
    struct keel_trials trials;
    double cost_ns; /* of scheduling, when it was compared last */
};

/* The part of a site and schedule: what all its loops share. {0} at first, but for `wanted`. */
struct keel_settled_site {
    const struct keel_policy *wanted; /* what they have asked for */
    _Atomic(struct keel_settled_length *) first;
    unsigned count;       /* guarded by keel_slow_lock */
    atomic_bool measured; /* the fields below are known */
    /* Written by keel_settled_measured(). */
    _Atomic double iteration_ns; /* mean of the quickest instance of any thread */
    _Atomic double claim_ns;     /* of one claim */
    _Atomic double chunks;       /* per iteration */
    _Atomic double start_ns;     /* of an instance, beyond what agreeing takes */
    _Atomic uint64_t threads;    /* of the last team */
};

extern _Atomic uint64_t keel_settled_epoch;

/* The epoch of a region that the calling thread starts now. */
static inline uint64_t keel_settled_current_epoch(void)
{
    /* acquire: pairs with the release in change(): changes up to this epoch are seen, by the
     * threads of the region as well, as starting it orders them after this */
    return atomic_load_explicit(&keel_settled_epoch, memory_order_acquire);
}

/* Whether loops of `iterations` under `policy` are settled for a team of `threads` in regions of
 * that epoch. All threads of such a region get the same answer. */
bool keel_settled_at(const struct keel_policy *policy, uint64_t threads, uint64_t iterations,
                     uint64_t epoch);

/* The most iterations of loops that are of one length with one of `iterations`. */
static inline uint64_t keel_settled_most(uint64_t iterations)
{
    return UINT64_MAX >> __builtin_clzll(iterations | 1);
}

/* What a thread of a team of `threads` proposes instead of `policy`, or `policy` itself. recheck:
 * the region times loops again. Takes keel_slow_lock for the first loop of its length and team
 * size. */
const struct keel_policy *keel_settled_propose(const struct keel_policy *policy, uint64_t threads,
                                               uint64_t iterations, bool recheck);

/* The same for a combined loop, whose team runs it as is proposed. policy->settled_site is not
 * NULL. */
const struct keel_policy *keel_settled_propose_combined(const struct keel_policy *policy,
                                                        uint64_t iterations, bool recheck);

/* Notes what the first instances have shown; uses the figures of `facts` alone. Call with
 * keel_slow_lock held. */
void keel_settled_measured(struct keel_settled_site *site, const struct keel_settled_site *facts);

/* Counts a trial: when the last of `threads` threads ended, and the mean of their ends, in ns after
 * the first of them began; start_ns: what agreeing on the instance took. */
void keel_settled_learn(struct keel_settled_length *settled, uint64_t threads, double last_ns,
                        double mean_ns, double start_ns);

#endif
