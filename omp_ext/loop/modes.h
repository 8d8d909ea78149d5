/* Modes of a loop that have more to them than a claim: how a thread begins its part in an instance,
 * gets its chunks, and ends it.
 *
 *   loop_open.c -> [start] -> mode -> loop_open.c -> [next] -> chunk -> loop.c -> [leave, finish]
 *
 * All is called by the thread that the loop state belongs to. */
#ifndef OMP_EXT_LOOP_MODES_H
#define OMP_EXT_LOOP_MODES_H

#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/loop.h"

/* --- loops that measure themselves: their claims, and their report --- */

/* Enters the instance. Returns the policy whose plan gives the thread's chunks; NULL: the loop is
 * in mode KEEL_LOOP_ADAPTIVE now. */
const struct keel_policy *keel_adaptive_start(struct keel_loop *loop,
                                              struct keel_instance *instance,
                                              const struct keel_policy *policy);

/* Leaves the instance: the loop is over for this thread, or was cancelled. */
void keel_adaptive_leave(struct keel_loop *loop);

/* --- loops of teams whose threads may be more than there are cores for, see team_sizes.h
 *
 *   thread without a core -> [await] ... another thread leaves, or a core is free -> chunks --- */

/* Joins `instance`: returns when the thread is to take iterations of it, and whether to ask again
 * before each chunk. policy: that the team has agreed on. Nothing to wait for where each thread has
 * iterations of its own. */
bool keel_loop_await_core(struct keel_loop *loop, struct keel_instance *instance,
                          const struct keel_policy *policy);

/* The same before another chunk. */
void keel_loop_await_core_again(struct keel_loop *loop);

/* Leaves it: those that wait need not any longer. */
void keel_loop_await_no_more(struct keel_loop *loop);

/* The lowest bit of instance->policy: a thread has left. */
#define KEEL_INSTANCE_LEFT 1

/* --- checked_loop.c: adversarial schedules, for `keel check`
 *
 *   keel_checked_loop_start() -> [delays] -> keel_checked_loop_next() -> chunk --- */

/* Joins an instance under a policy of keel_check_policy() that is adversarial. */
void keel_checked_loop_start(struct keel_loop *loop, struct keel_instance *instance,
                             const struct keel_call_site *place, bool in_order);

/* The thread's next chunk; false: none. May sleep. */
bool keel_checked_loop_next(struct keel_loop *loop, uint64_t *first, uint64_t *last);

/* --- chunks are timed, and shares are in proportion to threads' paces
 *
 *   chunk -> time -> pace of the thread -> weight -> share -> next chunk --- */

/* Sets the thread's first share from what `memory` knows. Without room to learn, the loop turns
 * into a weighted one. */
void keel_learning_start(struct keel_loop *loop, struct keel_site_records *memory);

/* Takes in the thread's part of the instance, for the instances to come. */
void keel_learning_finish(struct keel_loop *loop);

/* Counts the chunk before, by the loop's mode: MEASURED, LEARNING or ADAPTIVE. Then, the next chunk
 * [*first, *last); false: none is left. */
bool keel_counted_next(struct keel_loop *loop, uint64_t *first, uint64_t *last);

/* --- iterations that are lent, see lending/lending.h --- */

/* Joins the loop, which is in mode KEEL_LOOP_LENT then. */
void keel_lent_loop_start(struct keel_loop *loop, struct keel_loan *loan,
                          const struct keel_lent_loop *lent_loop);

/* The next chunk [*first, *last); false: there is none for this thread. */
bool keel_lent_loop_next(struct keel_loop *loop, uint64_t *first, uint64_t *last);

/* Leaves the loop: it is over for this thread, or was cancelled. */
void keel_lent_loop_leave(struct keel_loop *loop);

/* --- static shares that the team has agreed on, and their measurements
 *
 *   agreement -> share of the thread, timed -> ends of all threads -> site.h --- */

/* The iterations [*first, *last) of a loop of `iterations` that static shares give to thread
 * `thread` of `threads`: as libgomp and the compiler divide it, the first threads having one more.
 */
static inline void keel_static_share_of(uint64_t iterations, uint32_t threads, uint32_t thread,
                                        uint64_t *first, uint64_t *last)
{
    uint64_t equal = iterations / threads, longer = iterations % threads;

    *first = equal * thread + (thread < longer ? thread : longer);
    *last = *first + equal + (thread < longer);
}

/* Begins the thread's part in an instance under `policy`, one of static shares. */
void keel_static_share_start(struct keel_loop *loop, struct keel_instance *instance,
                             const struct keel_policy *policy);

/* The thread's share when it is called first; then false, and its part is over. */
bool keel_static_share_next(struct keel_loop *loop, uint64_t *first, uint64_t *last);

#endif
