/* The plan of one loop instance: every chunk boundary, worked out before the first claim.
 *
 * Sits between schedule and claim. A plan is private to one thread: each thread of a team builds
 * the same sequence from the same problem, so that a claim needs to share one number only. Chunk s
 * of a loop is
 *
 *     s < head:  [bound[s], bound[s + 1])                   a table of at most KEEL_PLAN_HEAD_MAX
 *     else:      [tail_first + (s - head) tail_chunk, ...)  equal chunks to the end
 *
 * or, where a sequence outgrows the table without an equal tail, what the schedule says when it is
 * walked on from there. A weighted plan has batches instead, see claim.h. */
#ifndef SCHEDULES_CLAIM_PLAN_H
#define SCHEDULES_CLAIM_PLAN_H

#include <stddef.h>

#include "schedules/loop/schedule.h"

#define KEEL_PLAN_HEAD_MAX 16384 /* steps */

/* Whether chunks can be worked out beforehand. Those of the other schedules are sized when they are
 * claimed (team.h), and callers with a spec of any schedule ask this first. */
static inline bool keel_plan_exists(const struct keel_schedule *schedule)
{
    return schedule->claim != KEEL_CLAIM_SIZED && schedule->claim != KEEL_CLAIM_BLOCKS;
}

/* What determines a plan. */
struct keel_problem {
    const struct keel_spec *spec; /* of a schedule that has plans, every measured parameter filled
                                     in; must outlive the plan */
    uint64_t iterations;          /* N, 0 .. 2^64 - 1 */
    uint64_t threads;             /* P >= 1 */
    uint64_t thread;              /* this thread's number in the team, 0 .. P - 1 */
    const double *weights;        /* P values > 0 with sum P, for weighted schedules; NULL: all 1.
                                     Those under 1/64 count as 1/64 */
    double own_weight, least_weight; /* instead of `weights`: this thread's, and the least of all;
                                        0: they stand in `weights` */
};

/* A walk along the sequence. `view` stands before chunk `view.step`, which begins at iteration
 * `first`. Invariant: first + view.remaining == view.iterations. */
struct keel_walk {
    struct keel_view view;
    uint64_t first;
    bool sized; /* view.chunk is already the size of this chunk, not of the one before */
};

/* Written by keel_plan_build alone. */
struct keel_plan {
    enum keel_claim claim;
    bool walks;          /* the steps from `head` on are walked */
    uint64_t head;       /* steps in the table; weighted: batches */
    uint64_t steps;      /* all steps of the team; UINT64_MAX where they are walked */
    uint64_t tail_first; /* iteration at which the steps behind the table begin */
    uint64_t tail_chunk; /* their size, >= 1; weighted: the length of the batches there */
    uint64_t iterations;
    uint64_t threads;
    uint64_t thread;
    uint64_t share;        /* weighted: what this thread takes of a batch, in 2^-32 of it */
    struct keel_walk walk; /* where a walk begins: before step `head` */
    uint64_t bound[];      /* head + 1 entries if head > 0: where each step, or batch, begins */
};

/* Builds the plan of `problem` in memory from `reallocate`, which works like realloc and may fail;
 * NULL: there is no memory. Without memory the plan is made in *fallback and has no table: it
 * walks. The caller frees what is not `fallback`. Never NULL. */
struct keel_plan *keel_plan_build(const struct keel_problem *problem,
                                  void *(*reallocate)(void *, size_t), struct keel_plan *fallback);

/* What a thread of this weight (1: average) takes of a weighted plan's batches at a time, in units
 * of positions, see claim.h. */
uint64_t keel_plan_share(const struct keel_plan *plan, double weight);

/* Number of steps of the whole team; walks where they are not known. Not for weighted plans, whose
 * chunks depend on who claims. */
uint64_t keel_plan_steps(const struct keel_plan *plan);

/* A walk of its own, without a plan. What `problem` points to outlives it; its thread and weights
 * do not matter. */
struct keel_walk keel_walk_from_start(const struct keel_problem *problem);

#define KEEL_WALK_MAX 16384 /* chunks that are passed one by one */

/* Moves on behind the chunk in which iteration `iteration` < N lies, and tells where that ends.
 * Iterations of one walk must not decrease. If the chunk is more than KEEL_WALK_MAX chunks of
 * unequal size ahead, the sequence goes on from `iteration`, as if it had just led there. Not
 * together with steps, and not for weighted plans. */
uint64_t keel_walk_past(struct keel_walk *walk, uint64_t iteration);

/* Moves on to step `step` and gives its chunk [*first, *last); false past the end. Steps of one
 * walk must not decrease. */
bool keel_walk_to_step(struct keel_walk *walk, uint64_t step, uint64_t *first, uint64_t *last);

/* Weighted plans: moves on to batch `batch` and tells where it begins and how long it is; N and 1
 * past the end. Batches of one walk must not decrease. */
void keel_walk_to_batch(struct keel_walk *walk, uint64_t batch, uint64_t *first, uint64_t *length);

/* Chunk [*first, *last) of step `step` in a plan that does not walk; false past the end. */
static inline bool keel_plan_chunk(const struct keel_plan *plan, uint64_t step, uint64_t *first,
                                   uint64_t *last)
{
    if (step < plan->head) {
        *first = plan->bound[step];
        *last = plan->bound[step + 1];
        return true;
    }
    if (step >= plan->steps) {
        return false;
    }
    *first = plan->tail_first + (step - plan->head) * plan->tail_chunk;
    /* step < steps, so *first < iterations and the difference does not wrap */
    *last =
        plan->iterations - *first > plan->tail_chunk ? *first + plan->tail_chunk : plan->iterations;
    return true;
}

/* The same in any plan. `walk` begins as a copy of plan->walk and serves one sequence of steps that
 * do not decrease. */
static inline bool keel_plan_any_chunk(const struct keel_plan *plan, struct keel_walk *walk,
                                       uint64_t step, uint64_t *first, uint64_t *last)
{
    if (plan->walks && step >= plan->head) {
        return keel_walk_to_step(walk, step, first, last);
    }
    return keel_plan_chunk(plan, step, first, last);
}

#endif
