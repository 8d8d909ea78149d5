/* How loops of a region start and end, for the entry points of libgomp and of the plugin alike. */
#ifndef OMP_EXT_ENTRY_START_H
#define OMP_EXT_ENTRY_START_H

#include "omp_ext/check/check.h"
#include "omp_ext/loop/loop_open.h"
#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/loop/watched_loop.h"

typedef enum keel_opened keel_opener(const struct keel_libgomp *, const struct keel_start *,
                                     const struct keel_policy *);

/* What this thread proposes to its team; NULL: the loop is libgomp's from the start. Where threads
 * of the team may have asked for different schedules, or see different loans, libgomp's is one
 * among the others. */
const struct keel_policy *keel_start_policy(keel_opener *open, const struct keel_libgomp *libgomp,
                                            const struct keel_start *start);

/* Whether each thread of the team finds by itself that the loop has static shares under `policy`.
 */
bool keel_start_is_static(const struct keel_libgomp *libgomp, const struct keel_start *start,
                          const struct keel_policy *policy);

/* The same for a loop that needs no policy to be known for one: it has been found static before. */
bool keel_start_is_told_static(const struct keel_libgomp *libgomp, const struct keel_start *start);

/* The thread's region has one more loop that asks. All threads of its team meet the same ones. */
static inline void keel_start_asks(void)
{
    if (keel_thread.loop != NULL) {
        keel_thread.loop->asked++;
    }
}

/* Whether modes are to change at the next end of a loop, for a region that never ends: seldom. All
 * threads of the team get the same answer. */
static inline bool keel_start_changes_modes(void)
{
    const struct keel_loop *loop = keel_thread.loop;

    return loop != NULL && loop->change_after > 0 && loop->asked >= loop->change_after;
}

/* Changes them: after the barrier at the end of the loop. */
void keel_start_change_modes(const struct keel_libgomp *libgomp);

/* Of a loop that has not been opened for keel_loop_next: whether its first chunk is there. */
static inline bool keel_start_has_chunk(enum keel_opened opened)
{
    return opened == KEEL_LIBGOMP_CHUNK || opened == KEEL_STATIC_SHARE_CHUNK;
}

/* Whether libgomp's `next` gives the loop's chunks. */
static inline bool keel_start_is_by_libgomp(enum keel_opened opened)
{
    return opened == KEEL_OPENED_NOTHING || opened == KEEL_LIBGOMP_CHUNK ||
           opened == KEEL_LIBGOMP_NONE;
}

/* The end of the thread's part in a loop that it has started: with a barrier, with one that ends
 * when the region is cancelled (returns whether it is), or with none. caller: return address of the
 * call. */
void keel_start_observed_end(const struct keel_libgomp *libgomp, const void *caller);
bool keel_start_observed_end_cancel(const struct keel_libgomp *libgomp, const void *caller);

static inline void keel_start_unobserved_end(const struct keel_libgomp *libgomp)
{
    keel_loop_time_after_loop();
    keel_check_passed_barrier(&keel_thread.check);
    if (keel_loop_ends_by_barrier()) {
        libgomp->GOMP_barrier();
    } else {
        libgomp->GOMP_loop_end();
    }
    if (__builtin_expect(keel_start_changes_modes(), 0)) {
        keel_start_change_modes(libgomp);
    }
}

static inline bool keel_start_unobserved_end_cancel(const struct keel_libgomp *libgomp)
{
    keel_loop_time_after_loop();
    keel_check_passed_barrier(&keel_thread.check);
    return keel_loop_ends_by_barrier() ? libgomp->GOMP_barrier_cancel()
                                       : libgomp->GOMP_loop_end_cancel();
}

static inline void keel_start_end(const struct keel_libgomp *libgomp, const void *caller)
{
    if (keel_observed_has_part()) {
        keel_start_observed_end(libgomp, caller);
    } else {
        keel_start_unobserved_end(libgomp);
    }
}

static inline bool keel_start_end_cancel(const struct keel_libgomp *libgomp, const void *caller)
{
    return keel_observed_has_part() ? keel_start_observed_end_cancel(libgomp, caller)
                                    : keel_start_unobserved_end_cancel(libgomp);
}

static inline void keel_start_end_nowait(const struct keel_libgomp *libgomp, const void *caller)
{
    if (__builtin_expect(keel_thread.check.loop != NULL, 0) &&
        keel_check_wants_barrier(&keel_thread.check)) {
        keel_start_end(libgomp, caller);
        return;
    }
    if (keel_observed_has_part()) {
        keel_observed_loop_arrive(KEEL_OBSERVED_LOOP_NOWAIT, caller);
    }
    keel_loop_time_after_loop();
    if (!keel_loop_ends_by_barrier()) {
        libgomp->GOMP_loop_end_nowait();
    }
}

/* An unsigned chunk may be any but 0, a signed one that is not above 0 is the program's error. */
#define KEEL_GRAIN_OF(chunk) \
    _Generic((chunk), long : keel_space_grain, keel_ull : keel_space_grain_ull)(chunk)

#endif
