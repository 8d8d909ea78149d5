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

#include "omp_ext/loop/loop_open.h"
#include "omp_ext/observe/observe.h"
#include "omp_ext/loop/skips.h"

/* Whether the calling thread has a part in a region, or in a serial loop, that is observed. */
static inline bool keel_observed_has_part(void)
{
    return keel_observing() && keel_thread.observed != NULL &&
           keel_thread.observed != &keel_unobserved;
}

/* Whether the calling thread is in a region that none of its team has a part in, as it is skipped.
 */
static inline bool keel_observed_is_passed_by(const struct keel_libgomp *libgomp)
{
    return keel_thread.observed == NULL && keel_skip_is_by_this_thread() &&
           libgomp->omp_get_level() > 0;
}

/* Whether it stands outside of all regions, so that a loop which it starts is serial. */
static inline bool keel_observed_is_outside(const struct keel_libgomp *libgomp)
{
    return keel_thread.observed == NULL && libgomp->omp_get_num_threads() == 1 &&
           !keel_observed_is_passed_by(libgomp);
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

/* The thread's part in the combined loop that its region stands for begins; its first chunk comes
 * by keel_loop_next(). */
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
