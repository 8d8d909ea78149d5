/* A claim: how one thread takes its next chunk from the plan. The hot path of every scheduled loop.
 *
 * Follows plan in the data flow. No lock, no allocation, one shared atomic operation or none. */
#ifndef SCHEDULES_CLAIM_CLAIM_H
#define SCHEDULES_CLAIM_CLAIM_H

#include <stdatomic.h>

#include "schedules/claim/plan.h"

/* What the threads of a team share in one loop instance; all zero at its start. Written by every
 * thread of the team. */
struct keel_claims {
    _Atomic uint64_t next; /* next step; of a weighted plan: next position, see below */
};

/* One thread's place in one loop instance. */
struct keel_cursor {
    uint64_t step;  /* own-claim plans: the next step of this thread */
    uint64_t share; /* weighted plans: what it adds to the position, see below */
    struct keel_walk walk;
};

static inline void keel_cursor_begin(struct keel_cursor *cursor, const struct keel_plan *plan)
{
    cursor->step = plan->thread;
    cursor->share = plan->share;
    if (plan->walks) {
        cursor->walk = plan->walk;
    }
}

/* Asks for the counter's cache line for writing. Worth its while a few instructions ahead of the
 * claim: an atomic operation starts to fetch the line only when everything before it is done. */
static inline void keel_claim_prefetch(struct keel_claims *claims)
{
#ifdef __x86_64__
    /* __builtin_prefetch() gives prefetchw only for processors that are known to have it. All
     * others of 64 bits take it for a nop. */
    __asm__ volatile("prefetchw %0" : : "m"(claims->next));
#else
    __builtin_prefetch(&claims->next, 1);
#endif
}

/* The next step number of the loop instance. */
static inline uint64_t keel_claim_next_step(struct keel_claims *claims)
{
    /* relaxed: only hands out disjoint steps. The sequence is each thread's own, and what
     * iterations write is ordered by the barrier of the work-sharing construct. A thread that has
     * been refused may draw again: 2^64 steps are never reached. */
    return atomic_fetch_add_explicit(&claims->next, 1, memory_order_relaxed);
}

static inline bool keel_claim_step(const struct keel_plan *plan, struct keel_claims *claims,
                                   struct keel_cursor *cursor, uint64_t *first, uint64_t *last)
{
    return keel_plan_any_chunk(plan, &cursor->walk, keel_claim_next_step(claims), first, last);
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

/* Weighted claims: the team shares a position in the sequence of batches. Its upper 32 bits count
 * batches, the lower ones tell the part of a batch. Each thread moves it on by its own share of a
 * batch, blindly, and gets the iterations between the old position and the new one. As the position
 * of every iteration is known beforehand, chunks are disjoint and complete without a look at who
 * claimed before. */

/* keel_position_iteration() where batches have to be walked to. */
uint64_t keel_position_walk(const struct keel_plan *plan, struct keel_walk *walk,
                            uint64_t position);

/* The first iteration that lies at `position` or behind it; N past the end. Positions of one walk
 * must not decrease. */
static inline uint64_t keel_position_iteration(const struct keel_plan *plan, struct keel_walk *walk,
                                               uint64_t position)
{
    uint64_t batch = position >> 32;

    if (batch < plan->head) {
        uint64_t length = plan->bound[batch + 1] - plan->bound[batch];
        return plan->bound[batch] +
               (uint64_t)((unsigned __int128)length * (uint32_t)position >> 32);
    }
    return keel_position_walk(plan, walk, position);
}

static inline bool keel_claim_weighted(const struct keel_plan *plan, struct keel_claims *claims,
                                       struct keel_cursor *cursor, uint64_t *first, uint64_t *last)
{
    /* Where a share is less than an iteration, several of them make one. */
    do {
        keel_claim_prefetch(claims);
        /* relaxed: as in keel_claim_next_step() */
        uint64_t position =
            atomic_fetch_add_explicit(&claims->next, cursor->share, memory_order_relaxed);
        *first = keel_position_iteration(plan, &cursor->walk, position);
        *last = keel_position_iteration(plan, &cursor->walk, position + cursor->share);
    } while (*first == *last && *first < plan->iterations);
    return *first < plan->iterations;
}

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
    case KEEL_CLAIM_SIZED: /* such schedules have no plan: keel_plan_exists() */
    case KEEL_CLAIM_BLOCKS:
        break;
    }
    __builtin_unreachable();
}

#endif
