/* A policy: a schedule spec that loops run under, at an address that never goes away.
 *
 * Threads of a team agree on a loop's schedule by agreeing on one pointer, and plans are cached
 * under it. */
#ifndef OMP_EXT_SETTINGS_POLICY_H
#define OMP_EXT_SETTINGS_POLICY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/claim/plan.h"

#define KEEL_SHARED_STATES_KEPT \
    8 /* as many instances of one loop may run at once without allocating */

struct keel_shared_state;

/* {0} at first. Slots are exchanged, so any thread may take and give. */
struct keel_shared_state_pool {
    _Atomic(struct keel_shared_state *) kept[KEEL_SHARED_STATES_KEPT];
};

struct keel_candidates;
struct keel_measurement;
struct keel_site_records;
struct keel_loan;
struct keel_settled_site;

/* Schedules divide units of `grain` iterations (plan.h), so `spec`, which plans and teams run by,
 * says everything in these units. Nothing changes once a thread has proposed the policy. */
struct keel_policy {
    /* What was asked for. Set by keel_policy_of(). */
    struct keel_spec spec;
    struct keel_spec stated; /* as people write it: in iterations, with its grain */
    uint64_t grain;          /* 0: that of a loop of libgomp's, none */

    /* For all policies. Set by keel_policy_intern(), and by what completes a policy. */
    bool incomplete; /* completed per site: parameters are measured, or weights learned */
    const struct keel_policy *in_order; /* for loops that promise each thread increasing iterations;
                                           NULL: the policy itself */
    const struct keel_policy *without_costs; /* where the program gives no costs, which the schedule
                                                wants; NULL: the policy itself */
    struct keel_shared_state_pool *shared_states; /* where shared states are kept; NULL: instances
                                                     share no more than claims */

    /* Of one site. Set by site/measurement.c and site/site_record.c; otherwise NULL or false. */
    const struct keel_policy *wanted;         /* what was asked for where this one runs */
    bool is_completed;                        /* a team may meet it in mid-loop */
    struct keel_measurement *measurement;     /* that instances are timed for; NULL: they are not */
    struct keel_site_records *records;        /* where a schedule keeps what it learns */
    const struct keel_candidates *candidates; /* what a schedule that chooses chooses from */
    const struct keel_policy *ordered_policy; /* what ordered loops run under instead, whose threads
                                                 have to know the same chunks; NULL: the policy */
    struct keel_settled_site *settled_site;   /* whether the site's loops are worth scheduling;
                                                 NULL: they are scheduled in any case */

    /* Of static shares that each thread works out by itself. Set by site/settled.c. */
    bool static_shares;
    struct keel_settled_site *trial; /* what they are timed for; NULL: they are not */

    /* Of a loan. Set by lending/loan.c; the spec is empty then. */
    struct keel_loan *loan; /* lends the loop its iterations; NULL: they are its own */
};

/* The policy of loops that are libgomp's. Its spec is empty. */
extern const struct keel_policy keel_policy_libgomp;

/* Factoring by halves: replaces a schedule where that cannot be used. */
extern const struct keel_policy keel_policy_factoring;

#define KEEL_POLICIES_MAX 1024
#define KEEL_POLICIES_GRAINED_MAX 3072 /* for the grains of clauses, beside these */

/* Whether instances under it share a shared state: chunks are sized when they are claimed, or the
 * schedule of each instance is chosen. */
static inline bool keel_policy_has_shared_state(const struct keel_policy *policy)
{
    return policy->spec.schedule != NULL && !keel_plan_exists(policy->spec.schedule);
}

/* What was asked for where loops run under `policy`. */
static inline const struct keel_policy *keel_policy_wanted(const struct keel_policy *policy)
{
    return policy->wanted != NULL ? policy->wanted : policy;
}

/* A policy of that spec and no more; `stated` is in iterations. */
struct keel_policy keel_policy_of(const struct keel_spec *stated);

/* The policy that replaces `stated`, whose schedule has an in_order, where each thread's iterations
 * have to increase. */
struct keel_policy keel_policy_in_order(const struct keel_spec *stated);

/* Copies to `spec` what every schedule may be given: the smallest chunk and the grain. */
void keel_policy_copy_common(struct keel_spec *spec, const struct keel_spec *from);

/* The policy of that spec: one for equal specs, made on first sight. NULL when KEEL_POLICIES_MAX
 * others exist or memory is short. Any thread; takes keel_slow_lock. */
const struct keel_policy *keel_policy_intern(const struct keel_spec *stated);

/* Use keel_policy_grained(). */
const struct keel_policy *keel_policy_find_grained(const struct keel_policy *policy,
                                                   uint64_t grain);

/* The policy for a loop that keeps `grain` >= 1 neighbouring iterations together, as a clause says,
 * where `policy` (NULL: none) would serve without: `policy` itself if it keeps to that. One for
 * equal arguments, whoever asks. &keel_policy_libgomp where there is no room for another: libgomp
 * keeps to its clause. Any thread; takes keel_slow_lock on first sight only. */
static inline const struct keel_policy *keel_policy_grained(const struct keel_policy *policy,
                                                            uint64_t grain)
{
    if (__builtin_expect(grain <= 1, 1) || policy == NULL || policy->grain == 0 ||
        policy->grain == grain) {
        return policy;
    }
    return keel_policy_find_grained(policy, grain);
}

/* What specs have that do not state it themselves; 0: what their schedules have. */
struct keel_spec_defaults {
    uint64_t min;   /* smallest chunk, iterations; 0: it is measured */
    uint64_t grain; /* iterations */
};

/* Reads a schedule as people write it: a spec, or "libgomp". Writes to `problem` as keel_spec_read
 * does. *mended: readable, but not used as written. NULL: unreadable or, if *mended, no room for
 * it. */
const struct keel_policy *keel_policy_read(const char *text, size_t length,
                                           const struct keel_spec_defaults *defaults, bool *mended,
                                           char *problem);

/* Writes the policy's spec, as it was stated, as snprintf does. */
int keel_policy_write(const struct keel_policy *policy, char *text, size_t size);

#endif
