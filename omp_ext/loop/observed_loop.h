/* One thread's part in a loop that is observed, see observe.h.
 *
 *   *_start: keel_observed_loop_before() .. the loop opens .. keel_observed_loop_opened()
 *   *_next:  keel_loop_next() -> KEEL_LOOP_INSTRUMENTED -> its own mode, or libgomp's `next`
 *   *_end:   keel_observed_loop_arrive() .. barrier .. keel_observed_loop_leave()
 *
 * Only while keel_observing(). What a thread does that has no part in an observed region, though
 * its team has several threads, is not seen. */
#ifndef OMP_EXT_LOOP_OBSERVED_LOOP_H
#define OMP_EXT_LOOP_OBSERVED_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/loop_open.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/observe/observe.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/address_table.h"

/* --- instances of regions that are not observed ---
 *
 * So many are short that watching all costs too much.
 *
 *   observer -> entry of keel_skips -> keel_skip_next(), where a region starts
 *
 * Only for regions that the initial thread starts, so no other thread reads more than the key. */

/* What the observer's entries begin with. All that is looked at where an instance is skipped is on
 * one cache line. Several entries may have one place. */
struct keel_skip {
    struct keel_address_key key; /* of the place */
    uint64_t left;               /* instances to skip */
    uint64_t asked;              /* what `left` was at first: the difference has been skipped */
    uint64_t since;              /* ticks, when that was; for the observer */
    unsigned unloadings; /* keel_unload_count at that time; later, another region may be there */
};

extern struct keel_address_table keel_skips;

/* Of the thread whose regions may be skipped; NULL: none are. */
extern struct keel_thread *_Atomic keel_skip_thread;

/* Whether it is the calling one. */
static inline bool keel_skip_is_by_this_thread(void)
{
    /* relaxed: only the thread that has written it finds itself in there */
    return atomic_load_explicit(&keel_skip_thread, memory_order_relaxed) == &keel_thread;
}

/* Whether the instance that the calling thread starts now is skipped, and counts as one. */
static inline bool keel_skip_next(const void *caller, void (*outlined)(void *))
{
    if (!keel_skip_is_by_this_thread()) {
        return false;
    }
    uintptr_t first = (uintptr_t)caller, second = (uintptr_t)outlined;
    const _Atomic(void *) *slot = &keel_skips.slot[keel_address_home(first, second)];
    struct keel_skip *skip;

    while ((skip = keel_address_next(&slot, first, second)) != NULL) {
        if (skip->left > 0 && skip->unloadings == keel_unload_count_now()) {
            skip->left--;
            return true;
        }
    }
    return false;
}

/* Instances that have been skipped since `asked` was written. */
static inline uint64_t keel_skipped(const struct keel_skip *skip)
{
    return skip->asked - skip->left;
}

/* --- the thread's part --- */

/* Whether the calling thread has a part in a region, or in a serial loop, that is observed. */
static inline bool keel_observed_has_part(void)
{
    return keel_observing() && keel_thread.observed != NULL &&
           keel_thread.observed != &keel_unobserved;
}

/* Whether the calling thread is in a region that none of its team has a part in, as it is skipped.
 */
static inline bool keel_observed_take_skip(const struct keel_libgomp *libgomp)
{
    return keel_thread.observed == NULL && keel_skip_is_by_this_thread() &&
           libgomp->omp_get_level() > 0;
}

/* Whether it is outside of all regions, so that a loop which it starts is serial. */
static inline bool keel_observed_is_outside(const struct keel_libgomp *libgomp)
{
    return keel_thread.observed == NULL && libgomp->omp_get_num_threads() == 1 &&
           !keel_observed_take_skip(libgomp);
}

/* Whether a loop that the calling thread starts now is observed. */
static inline bool keel_observed_attends(const struct keel_libgomp *libgomp)
{
    return keel_observing() && !libgomp->foreign &&
           (keel_observed_has_part() || keel_observed_is_outside(libgomp));
}

/* Threads that run a region begin and end their parts; `thread` is on their stacks. */
void keel_observed_begin(struct keel_observed_thread *thread, struct keel_observed_region *region,
                         const struct keel_libgomp *libgomp);
void keel_observed_end(struct keel_observed_thread *thread);

/* The same where no region is, as in code for a device that runs here. */
void keel_observed_begin_serial(struct keel_observed_thread *thread);

/* The thread starts a loop. */
void keel_observed_loop_before(const struct keel_libgomp *libgomp, const struct keel_start *start,
                               bool ordered);

/* It is open; by_libgomp: libgomp's `next` gives its chunks. taken: its first chunk is at istart
 * and iend. Returns `taken`. */
bool keel_observed_loop_opened(const struct keel_libgomp *libgomp, const struct keel_start *start,
                               bool by_libgomp, bool taken);

/* The loop is none that this thread comes to here. */
void keel_observed_loop_forget(void);

/* The thread's part in the combined loop that is its region begins; its first chunk comes by
 * keel_loop_next(). */
void keel_observed_loop_combined(const struct keel_libgomp *libgomp,
                                 const struct keel_observed_loop *loop);

/* What the loop of a start is to observers. */
struct keel_observed_loop keel_observed_loop_of(const struct keel_call_site *place,
                                                const struct keel_space *space, bool wide, bool up,
                                                long clause, uint64_t chunk);

/* For keel_loop_next() in an instrumented loop: the chunk that runs is over; there is a next one,
 * of these values. */
void keel_observed_loop_chunk_over(void);
void keel_observed_loop_taken(uint64_t first, uint64_t last);

/* The thread comes to the end of a loop, or to a barrier, and leaves it; `caller`: return address
 * of the call. */
void keel_observed_loop_arrive(enum keel_observed_end end, const void *caller);
void keel_observed_loop_leave(enum keel_observed_end end, const void *caller);

/* For libkeel_mpi.so, which finds it by dlsym() once keel_report_meet() has said true: the calling
 * thread has waited so many ns for other ranks, until now; 0: just asks. Returns whether it is in a
 * region. */
bool keel_report_waited(double ns);

#endif
