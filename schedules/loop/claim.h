/* A claim: how one thread takes its next chunk from the plan. The hot path of every scheduled loop.
 *
 * Follows plan in the data flow. No lock, no allocation, one shared atomic operation or none. */
#ifndef KEEL_SCHEDULES_LOOP_CLAIM_H
#define KEEL_SCHEDULES_LOOP_CLAIM_H

#include <stdatomic.h>

#include "schedules/loop/plan.h"

/* What the threads of a team share in one loop instance; all zero at its start. Written by every
 * thread of the team. */
struct keel_claims {
    _Atomic uint64_t next; /* next step; of a weighted plan: next iteration */
};

/* One thread's place in one loop instance. */
struct keel_cursor {
    uint64_t step; /* own-claim plans: this thread's next step; weighted plans: the batch */
    struct keel_walk walk;
};

static inline void keel_cursor_begin(struct keel_cursor *cursor, const struct keel_plan *plan)
{
    cursor->step = plan->claim == KEEL_CLAIM_WEIGHTED ? 0 : plan->thread;
    if (plan->walks) {
        cursor->walk = plan->walk;
    }
}

/* The next step number of the loop instance. */
static inline uint64_t keel_claim_draw(struct keel_claims *claims)
{
    /* relaxed: only hands out disjoint steps. The sequence is each thread's own, and what
     * iterations write is ordered by the barrier of the work-sharing construct. A thread that has
     * been refused may draw again: 2^64 steps are never reached. */
    return atomic_fetch_add_explicit(&claims->next, 1, memory_order_relaxed);
}

static inline bool keel_claim_step(const struct keel_plan *plan, struct keel_claims *claims,
                                   struct keel_cursor *cursor, uint64_t *first, uint64_t *last)
{
    return keel_plan_any_chunk(plan, &cursor->walk, keel_claim_draw(claims), first, last);
}

static inline bool keel_claim_own(const struct keel_plan *plan, struct keel_cursor *cursor,
                                  uint64_t *first, uint64_t *last)
{
    uint64_t step = cursor->step;

    if (!keel_plan_any_chunk(plan, &cursor->walk, step, first, last)) {
        return false;
    }
    cursor->step = step + plan->threads;
    return true;
}

/* Slow only in comparison: one compare-and-swap, repeated when another thread claimed in between.
 */
bool keel_claim_weighted(const struct keel_plan *plan, struct keel_claims *claims,
                         struct keel_cursor *cursor, uint64_t *first, uint64_t *last);

/* Takes the calling thread's next chunk [*first, *last), 0 <= *first < *last <= N; false when there
 * is none left for it. */
static inline bool keel_claim(const struct keel_plan *plan, struct keel_claims *claims,
                              struct keel_cursor *cursor, uint64_t *first, uint64_t *last)
{
    switch (plan->claim) {
    case KEEL_CLAIM_STEPS:
        return keel_claim_step(plan, claims, cursor, first, last);
    case KEEL_CLAIM_OWN:
        return keel_claim_own(plan, cursor, first, last);
    case KEEL_CLAIM_WEIGHTED:
        return keel_claim_weighted(plan, claims, cursor, first, last);
    }
    __builtin_unreachable();
}

#endif
