/* The plan of one loop instance: every chunk boundary, computed before the first claim.
 *
 * Sits between schedule and claim. A plan is private to one thread: each thread of a team builds
 * the same sequence from the same problem, so that a claim needs to share one number only. Chunk s
 * of a loop is
 *
 *     s < head:  [bound[s], bound[s + 1])                   a table of at most KEEL_PLAN_HEAD_MAX
 *     otherwise: [tail_first + (s - head) tail_chunk, ...)  equal chunks to the end
 *
 * or, if a sequence outgrows the table without an equal tail, the chunk that the schedule gives
 * when it is walked on from there. A weighted plan has batches instead, see below. */
#ifndef SCHEDULES_CLAIM_PLAN_H
#define SCHEDULES_CLAIM_PLAN_H

#include <stdatomic.h>
#include <stddef.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/schedule.h"

#define KEEL_PLAN_HEAD_MAX 16384 /* steps */

/* Whether chunks can be computed beforehand. Those of the other schedules are sized when they are
 * claimed (team.h). Callers with a spec of any schedule check this first. */
static inline bool keel_plan_exists(const struct keel_schedule *schedule)
{
    return schedule->claim != KEEL_CLAIM_SIZED && schedule->claim != KEEL_CLAIM_BLOCKS;
}

/* The input of a plan. */
struct keel_problem {
    const struct keel_spec *spec; /* of a schedule that has plans, every measured parameter filled
                                     in; must outlive the plan */
    uint64_t iterations;          /* N, 0 .. 2^64 - 1 */
    uint64_t threads;             /* P >= 1 */
    uint64_t thread;              /* this thread's number in the team, 0 .. P - 1 */
    const double *weights;        /* P values > 0 with sum P, for weighted schedules; NULL: all 1.
                                     Those under 1/64 count as 1/64 */
    double own_weight, least_weight; /* instead of `weights`: this thread's, and the least of all;
                                        0: they are in `weights` */
};

/* A walk along the sequence. `view` is before chunk `view.step`, which begins at iteration `first`.
 * Invariant: first + view.remaining == view.iterations. */
struct keel_walk {
    struct keel_view view;
    uint64_t first;
    bool sized; /* view.chunk is already the size of this chunk, not of the one before */
};

/* Written by keel_plan_build() only. */
struct keel_plan {
    enum keel_claim claim;
    bool walks;          /* the steps from `head` on are walked */
    uint64_t head;       /* steps in the table; weighted: batches */
    uint64_t steps;      /* all steps of the team; UINT64_MAX if they are walked */
    uint64_t tail_first; /* iteration at which the steps behind the table begin */
    uint64_t tail_chunk; /* their size, >= 1; weighted: the length of the batches there */
    uint64_t iterations;
    uint64_t threads;
    uint64_t thread;
    uint64_t share;        /* weighted: what this thread claims of a batch, in 2^-32 of it */
    struct keel_walk walk; /* where a walk begins: before step `head` */
    uint64_t bound[];      /* head + 1 entries if head > 0: where each step, or batch, begins */
};

/* Builds the plan of `problem` in memory from `reallocate`, which works like realloc and may fail;
 * NULL: no memory is used. Without memory the plan is made in *fallback and has no table: it walks.
 * The caller frees the result unless it is `fallback`. Never returns NULL. */
struct keel_plan *keel_plan_build(const struct keel_problem *problem,
                                  void *(*reallocate)(void *, size_t), struct keel_plan *fallback);

/* The part of a weighted plan's batches that a thread of this weight (1: average) claims at a time,
 * in units of positions, see below. */
uint64_t keel_plan_share(const struct keel_plan *plan, double weight);

/* Number of steps of the whole team; walks if they are not known. Not for weighted plans, whose
 * chunks depend on the threads that claim. */
uint64_t keel_plan_steps(const struct keel_plan *plan);

/* A walk of its own, without a plan. `problem` and its targets outlive it; its thread and weights
 * do not matter. */
struct keel_walk keel_walk_from_start(const struct keel_problem *problem);

#define KEEL_WALK_MAX 16384 /* chunks that are passed one by one */

/* Moves on behind the chunk that contains iteration `iteration` < N, and returns where that ends.
 * Iterations of one walk must not decrease. If the chunk is more than KEEL_WALK_MAX chunks of
 * unequal size ahead, the sequence goes on from `iteration`, as if it had just reached that. Not to
 * be mixed with steps, and not for weighted plans. */
uint64_t keel_walk_past(struct keel_walk *walk, uint64_t iteration);

/* Moves on to step `step` and writes its chunk [*first, *last); false past the end. Steps of one
 * walk must not decrease. */
bool keel_walk_to_step(struct keel_walk *walk, uint64_t step, uint64_t *first, uint64_t *last);

/* Weighted plans: moves on to batch `batch` and writes its first iteration and its length; N and 1
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

/* As keel_plan_chunk(), for any plan. `walk` begins as a copy of plan->walk and serves one sequence
 * of steps that do not decrease. */
static inline bool keel_plan_any_chunk(const struct keel_plan *plan, struct keel_walk *walk,
                                       uint64_t step, uint64_t *first, uint64_t *last)
{
    if (plan->walks && step >= plan->head) {
        return keel_walk_to_step(walk, step, first, last);
    }
    return keel_plan_chunk(plan, step, first, last);
}

/* --- grain ---
 *
 * Grain: how many neighbouring iterations a schedule keeps together. Chunks begin and end only at
 * multiples of it from the loop's beginning, and at the end of the loop.
 *
 *   spec, N iterations -> [units of `grain` iterations] -> plan or team -> chunks, times grain
 *
 * A loop of N iterations is scheduled as ceil(N / grain) units. Code that divides units keeps to
 * the grain without knowing it; the last unit has the remaining iterations. */

/* The grain of a spec; 1: none. */
static inline uint64_t keel_grain_of(const struct keel_spec *spec)
{
    return max_u64(spec->value[KEEL_GRAIN].count, 1);
}

/* The smallest grain that keeps to both, each >= 1: their least common multiple. UINT64_MAX if that
 * does not fit: no loop has more iterations, so all are one unit. */
uint64_t keel_grain_common(uint64_t a, uint64_t b);

/* Number of units in a loop of `iterations`. grain >= 1. */
static inline uint64_t keel_grain_units(uint64_t iterations, uint64_t grain)
{
    return div_ceil(iterations, grain);
}

/* The iteration at which unit `unit` begins, 0 <= unit <= units; for unit == units the one behind
 * the loop's end. Does not overflow: (units - 1) * grain < iterations. */
static inline uint64_t keel_grain_iteration(uint64_t unit, uint64_t iterations, uint64_t grain)
{
    return unit <= iterations / grain ? unit * grain : iterations;
}

/* Converts `spec` from iterations to units of its own grain: sizes are rounded up, a unit takes
 * `grain` times as long as an iteration, and deviates sqrt(grain) times as much. The result has no
 * grain. */
struct keel_spec keel_grain_spec(const struct keel_spec *spec);

/* Makes `spec` keep to `grain`, too. */
void keel_grain_add(struct keel_spec *spec, uint64_t grain);

/* --- claims ---
 *
 * A claim: how one thread takes its next chunk from the plan. The hot path of every scheduled loop.
 *
 * Follows plan in the data flow. No lock, no allocation, one shared atomic operation or none. */

/* Shared by the threads of a team in one loop instance; all zero at its start. Written by every
 * thread of the team. */
struct keel_claims {
    _Atomic uint64_t next; /* next step; of a weighted plan: next position, see below */
};

/* The position of one thread in one loop instance. */
struct keel_cursor {
    uint64_t step;  /* own-claim plans: the next step of this thread */
    uint64_t share; /* weighted plans: what it adds to the shared position, see below */
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

/* Requests the counter's cache line for writing. Useful a few instructions ahead of the claim: an
 * atomic operation starts to fetch the line only when everything before it is done. */
static inline void keel_claim_prefetch(struct keel_claims *claims)
{
#ifdef __x86_64__
    /* __builtin_prefetch() gives prefetchw only for processors that are known to have it. All other
     * 64-bit ones execute it as a nop. */
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
 * batches, the lower ones are the part of a batch. Each thread adds its own share of a batch,
 * without looking at it, and gets the iterations between the old position and the new one. As the
 * position of every iteration is known beforehand, chunks are disjoint and complete, whichever
 * thread claimed before. */

/* keel_position_iteration() for batches that have to be walked to. */
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
    /* If a share is less than an iteration, several of them make one. */
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

/* Claims the calling thread's next chunk [*first, *last), 0 <= *first < *last <= N. Returns false
 * if none is left for it. */
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
