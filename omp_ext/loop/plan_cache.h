/* A thread's own plans, kept so that a repeated loop neither allocates nor computes.
 *
 * Everything here is private to the calling thread. At most KEEL_PLANS_KEPT plans of at most 128
 * KiB are kept per thread; usual plans take less than 1 KiB. They go when the thread ends. */
#ifndef OMP_EXT_LOOP_PLAN_CACHE_H
#define OMP_EXT_LOOP_PLAN_CACHE_H

#include "omp_ext/settings/policy.h"
#include "schedules/claim/plan.h"

#define KEEL_PLANS_KEPT 64

/* What a plan depends on. */
struct keel_plan_key {
    const struct keel_policy *policy;
    uint64_t iterations;
    uint32_t threads;
    uint32_t thread;
};

struct keel_kept_plan {
    struct keel_plan_key key;
    const struct keel_plan *plan;
    unsigned users; /* loops of this thread that run by it now: more than one where regions nest */
    uint64_t used;  /* when last, counted in uses of the cache */
    bool kept;      /* still in the cache; otherwise the last user frees it */
    struct keel_plan without_table; /* serves where memory is short */
};

/* The plan for that key, built if it is not kept. Without memory for keeping it, NULL: the caller
 * makes one of its own with keel_plan_cache_problem. Release it when the loop is over. */
struct keel_kept_plan *keel_plan_cache_acquire(const struct keel_plan_key *key);

void keel_plan_cache_release(struct keel_kept_plan *kept);

/* The problem that the plan of `key` solves, with this process's weights. */
struct keel_problem keel_plan_cache_problem(const struct keel_plan_key *key);

#endif
