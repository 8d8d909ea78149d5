/* Loops under adversarial schedules, for `keel check` (KEEL_CHECK): which policy they get, and what
 * runs beside what.
 *
 *   keel_check_policy() -> the team agrees on it -> loop/checked_loop.c -> chunks
 *
 * What the schedule gives each thread is a function of the seed, the loop's name and the number of
 * the instance (schedules/claim/adversary.h). Threads are delayed before a region (delay.h), before
 * a loop, and between chunks (checked_loop.c). */
#ifndef OMP_EXT_CHECK_CHECK_H
#define OMP_EXT_CHECK_CHECK_H

#include "omp_ext/check/check_site.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/call_site.h"

static inline bool keel_check_wanted(void)
{
    return __builtin_expect(keel_settings()->check.on, 0);
}

/* The policy for a loop that the thread of `thread` begins; NULL: libgomp's. */
const struct keel_policy *keel_check_policy(struct keel_check_thread *thread,
                                            const struct keel_construct *construct);

/* What ordered loops run under instead of an adversarial policy; NULL: no memory. */
const struct keel_policy *keel_check_ordered_policy(void);

/* A region that begins at `caller`, for its threads to know; NULL where nothing is checked. */
struct keel_check_site *keel_check_begin_region(const void *caller, void (*outlined)(void *));

/* The thread ends a loop without a barrier: whether the loop has to get one. */
bool keel_check_wants_barrier(struct keel_check_thread *thread);

/* The thread passes a barrier. */
static inline void keel_check_passed_barrier(struct keel_check_thread *thread)
{
    thread->loop = NULL;
    thread->ended = NULL;
}

#endif
