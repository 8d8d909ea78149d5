/* A policy: a schedule spec that loops run under, at an address that never goes away.
 *
 * Threads of a team agree on a loop's schedule by agreeing on one pointer, and plans are cached
 * under it. */
#ifndef OMP_EXT_POLICY_H
#define OMP_EXT_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "schedules/loop/plan.h"

struct keel_arena_pool;
struct keel_candidates;
struct keel_measurement;
struct keel_memory;
struct keel_offer;

struct keel_policy {
    struct keel_spec spec;
    /* Has to be completed per loop site: parameters are to be measured, or weights learned. */
    bool incomplete;
    /* Instances under this policy are timed for it; NULL: they are not. */
    struct keel_measurement *measurement;
    /* Where a schedule that learns keeps what it has learned; NULL: it does not learn. */
    struct keel_memory *memory;
    /* Of schedules whose instances share more than claims: where that memory is kept. */
    struct keel_arena_pool *arenas;
    /* What a schedule that chooses chooses from; else NULL. */
    const struct keel_candidates *candidates;
    /* For loops that promise each thread increasing iterations; NULL: the policy itself. */
    const struct keel_policy *in_order;
    /* Completed for one site: a team may meet it in mid-loop. */
    bool measured;
    /* Lends the loop its iterations, and the spec is empty; NULL: they are its own. */
    struct keel_offer *offer;
};

/* Stands for "this loop is libgomp's". Its spec is empty. */
extern const struct keel_policy keel_policy_libgomp;

/* Factoring by halves: stands in where a schedule can't serve. */
extern const struct keel_policy keel_policy_factoring;

#define KEEL_POLICIES_MAX 1024

/* Whether instances under it share an arena: chunks are sized when they are claimed, or the
 * schedule of each instance is chosen. */
static inline bool keel_policy_shares_arena(const struct keel_policy *policy)
{
    return policy->spec.schedule != NULL && !keel_plan_exists(policy->spec.schedule);
}

/* What stands for `spec`, whose schedule has an in_order, where iterations have to increase. */
struct keel_policy keel_policy_in_order(const struct keel_spec *spec);

/* The policy of that spec: one for equal specs, made on first sight. NULL when KEEL_POLICIES_MAX
 * others exist or memory is short. Any thread; takes keel_slow_lock. */
const struct keel_policy *keel_policy_intern(const struct keel_spec *spec);

/* Reads a schedule as people write it: a spec, or "libgomp". `minimum` is the minimum chunk of
 * specs that state none. Writes to `problem` as keel_spec_read does. *mended: readable, but
 * not used as written. NULL: unreadable or, if *mended, no room for it. */
const struct keel_policy *keel_policy_read(const char *text, size_t length, uint64_t minimum,
                                           bool *mended, char *problem);

/* Writes the policy's spec as snprintf does. */
int keel_policy_write(const struct keel_policy *policy, char *text, size_t size);

#endif
