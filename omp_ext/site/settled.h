/* Short loops: finding those that static shares serve best.
 *
 *   short     scheduling the loop costs more than it can gain (schedules/learn/worthwhile.h)
 *   settled   the site's loops of up to so many iterations have static shares, see mode.h
 *
 *   a site's first instances, timed -> short? -> trials: static shares, timed -> worthwhile.h
 *                                                   ^                               |
 *                        every 251st region --------+        scheduled, or settled <+
 *
 * In every 251st region of a thread (keel_worthwhile_recheck()), the region's short loops are tried
 * again, whether they are settled or not.
 *
 * What is found for one length holds for shorter loops of the site where it is "settled", and for
 * longer ones where it is "scheduled". Lengths in between are tried when they come, one (within a
 * factor of two) at a time. */
#ifndef OMP_EXT_SITE_SETTLED_H
#define OMP_EXT_SITE_SETTLED_H

#include "omp_ext/settings/policy.h"
#include "omp_ext/site/mode.h"
#include "omp_ext/support/brief_lock.h"
#include "schedules/learn/worthwhile.h"

/* What has been judged last. */
struct keel_settled_judgement {
    uint64_t least, most; /* iterations of the loops that were tried; 0: nothing has been judged */
    bool is_static;
    double span_ns, gain_ns; /* of static shares, see worthwhile.h */
    double cost_ns;          /* of scheduling */
};

/* The part of a site and schedule. {0} at first, but for what keel_settled_begin() sets. */
struct keel_settled_site {
    struct keel_policy trial;         /* static shares, timed for this */
    struct keel_policy untimed;       /* static shares */
    struct keel_mode own;             /* of loops without a mode of the program's */
    _Atomic(struct keel_mode *) mode; /* that its last loop had */

    atomic_bool measured; /* the fields below are known; written by keel_settled_measured() */
    _Atomic double iteration_ns; /* mean of the quickest instance of any thread */
    _Atomic double claim_ns;     /* of one claim */
    _Atomic double chunks;       /* per iteration */
    _Atomic double start_ns;     /* of an instance, beyond what agreeing takes */
    _Atomic uint64_t threads;    /* of the last team */

    _Atomic uint64_t settled_to;     /* most iterations of settled loops */
    _Atomic uint64_t scheduled_from; /* of longer ones, least of those that are scheduled; 0: none
                                        are */
    _Atomic uint64_t tried;      /* length and team size of the trials, as keel_settled_propose()
                                        has it; 0: none are made */
    atomic_bool idle;            /* none has been made since a recheck */
    struct keel_brief_lock lock; /* guards what follows */
    uint64_t trials_of;          /* what `tried` was for them; 0: they have been judged */
    struct keel_trials trials;
    struct keel_settled_judgement judged;
};

/* Once, before any other thread knows the site. wanted: what its loops have asked for. */
void keel_settled_begin(struct keel_settled_site *site, const struct keel_policy *wanted);

/* What a thread of a team of `threads` proposes instead of `policy`, or `policy` itself. mode: of
 * the loop. recheck: the region tries loops again. */
const struct keel_policy *keel_settled_propose(const struct keel_policy *policy,
                                               struct keel_mode *mode, uint64_t threads,
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
void keel_settled_learn(struct keel_settled_site *site, uint64_t threads, uint64_t iterations,
                        double last_ns, double mean_ns, double start_ns);

#endif
