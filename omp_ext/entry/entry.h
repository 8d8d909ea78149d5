/* What the entry points share. They carry libgomp's names, are exported under libgomp's versions
 * (libkeel.lds), and may be called before any constructor has run. */
#ifndef OMP_EXT_ENTRY_ENTRY_H
#define OMP_EXT_ENTRY_ENTRY_H

#include <stdbool.h>

#include "omp_ext/check/check.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/loop_open.h"
#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/loop/timed_loop.h"
#include "omp_ext/observe/observe.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/known_costs.h"

#define KEEL_ENTRY __attribute__((visibility("default")))
#define KEEL_ENTRY_ALIAS(name, target) \
    extern __typeof(target) name __attribute__((visibility("default"), alias(#target)))

/* The same for a function that exists when programs run, but not when they are linked (one `@`):
 * linkers that drop unused libraries (--as-needed) must still see the use of libgomp, which for
 * many programs is only this function. `name`: the versioned one. */
#define KEEL_ENTRY_RUNTIME_ONLY(name) __attribute__((visibility("default"), symver(name)))

/* The return address of the entry point: the place of the call in the program. */
#define KEEL_CALLER __builtin_return_address(0)

/* --- parallel regions ---
 *
 * Each thread of a team gets a loop state of its own, and inherits what its creator asked for. */

/* Passed to libgomp instead of the program's function and data. Lives on the stack of the thread
 * that meets the construct, which returns only when the whole team has left the region. */
struct keel_region {
    void *reductions; /* first, where GOMP_parallel_reductions looks for it: the first word of the
                         program's data */
    void (*outlined)(void *);
    void (*run)(void *); /* the same, with its data; or what runs it for shares, with these */
    void *data;
    const struct keel_libgomp *libgomp;
    const struct keel_policy *set_policy;
    struct keel_known_costs *costs;       /* held by the thread that meets the construct */
    struct keel_combined *combined;       /* NULL: not a combined loop under Keel */
    bool before_lending;                  /* there has been no loan in the process yet */
    bool before_activity;                 /* Keel schedules nothing yet */
    bool recheck;                         /* short loops are tried again, see site.h */
    bool costless;                        /* costs are missing, see known_costs.h */
    bool in_team;                         /* it starts within another one */
    bool sized;                           /* see struct keel_loop */
    enum keel_loop_time_scope time_scope; /* what its threads begin with */
    void (*outermost)(void *);         /* the function of the outermost region; NULL: not known */
    struct keel_check_site *check;     /* the region where loops are checked; NULL: not known */
    struct keel_seen_region *seen;     /* for observers; NULL: there are none */
    const struct keel_space *timed;    /* of the loop that it is combined with, whose iterations
                                             are timed; NULL: they are not */
    const struct keel_thread *starter; /* the thread that meets the construct */
    bool *needs_keel; /* for that thread to record whether the region needs Keel; NULL: not
                         wanted */
};

/* What is there beside a region that is observed, on the stack of the same thread. */
struct keel_seen_region {
    struct keel_observed_region observed;
    struct keel_observed_loop loop; /* that it is combined with; place.caller NULL: none */
};

/* A region for this thread to start. */
struct keel_region keel_region_of(const struct keel_libgomp *libgomp, void (*outlined)(void *),
                                  void *data, struct keel_combined *combined);

static inline bool keel_region_team_is_asked(void)
{
    /* relaxed: a region that begins meanwhile may ask or not */
    return __builtin_expect(atomic_load_explicit(&keel_team_sizes, memory_order_relaxed) != NULL,
                            0);
}

/* The same as keel_region_team(), once somebody is asked. */
unsigned keel_region_team_asked(unsigned threads);

/* For how many threads to ask libgomp where the program, or this function, has said `threads`; 0:
 * for none. */
static inline unsigned keel_region_team(unsigned threads)
{
    return keel_region_team_is_asked() ? keel_region_team_asked(threads) : threads;
}

/* What an entry point of a region has to do. */
enum keel_region_way {
    KEEL_REGION_HIDE,   /* pass on, between keel_region_hide() and keel_region_show() */
    KEEL_REGION_RUN,    /* run it by keel_region_run, unobserved */
    KEEL_REGION_OBSERVE /* the same, and have it observed */
};

enum keel_region_way keel_region_way(const struct keel_libgomp *libgomp, const void *caller,
                                     void (*outlined)(void *));

/* Whether the region that the calling thread starts now is skipped, and nothing is to be scheduled
 * in it: then its threads have no part in it, and the caller passes it on. Counts it as skipped. */
static inline bool keel_region_take_skip(const void *caller, void (*outlined)(void *))
{
    return keel_loop_only_observes() && keel_thread.observed == NULL &&
           keel_skip_next(caller, outlined);
}

/* Has observers not see what this thread does; returns what keel_region_show() wants. */
static inline struct keel_observed_thread *keel_region_hide(void)
{
    struct keel_observed_thread *part = keel_thread.observed;

    keel_thread.observed = &keel_unobserved;
    return part;
}

static inline void keel_region_show(struct keel_observed_thread *part)
{
    keel_thread.observed = part;
}

/* What a region needs beside itself while it is observed, on the stack of the same thread. */
struct keel_region_watch {
    enum keel_region_way way;
    struct keel_observed_thread *part; /* hidden: what the thread was in */
    unsigned begun;                    /* what keel_mode_end_team() wants; 0: within another team */
    struct keel_seen_region seen;
};

/* Before the team starts, and after it has joined. */
void keel_region_fork(struct keel_region *region, struct keel_region_watch *watch,
                      const void *caller);
void keel_region_join(struct keel_region_watch *watch);

/* Gives the calling thread back what it was before it entered. */
void keel_region_leave(const struct keel_thread *outer);

/* What each thread of the team runs; `region` is a struct keel_region. */
void keel_region_run(void *region);

/* --- how loops of a region start and end --- */

typedef enum keel_opened keel_opener(const struct keel_libgomp *, const struct keel_start *,
                                     const struct keel_policy *);

/* Starts this thread's part by `open`, or by static shares, unless the loop is libgomp's from the
 * start; scheduled: Keel may have it. Where threads of the team may have asked for different
 * schedules, or see different loans, libgomp's is one among the others. */
enum keel_opened keel_start_loop(keel_opener *open, const struct keel_libgomp *libgomp,
                                 const struct keel_start *start, bool scheduled);

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
        keel_check_take_barrier(&keel_thread.check)) {
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

/* --- short regions that need nothing of Keel are passed on to libgomp as they are ---
 *
 * For the entry point of regions without a loop of their own.
 *
 *   region under Keel -> none of its loops asks -> learned -> passed on to libgomp
 *           ^                                                          |
 *           +------- a loop that asks; every 251st region -------------+
 *
 * Under Keel each thread of a region gets a state of its own. That costs as much as a short loop's
 * body, as the other threads have to get it. It is not used if a region has no loops for Keel, or
 * only ones that divide themselves (site/mode.h). The thread that starts the region
 * decides alone. The others have no state there, and without one every loop of the team is as the
 * compiler and libgomp have it. So all of them do the same. */

/* What is kept while a region runs. */
struct keel_passing_watch {
    struct keel_passing_region *region; /* what is known of it; NULL: nothing is learned */
    uint64_t began;                     /* ticks */
    bool needs_keel;
};

/* Passes the region that the calling thread starts now on, and returns when it is over; false: it
 * has to run under Keel, and has not begun. */
bool keel_passing_run(struct keel_passing_watch *watch, void (*outlined)(void *), void *data,
                      unsigned threads, unsigned flags);

/* Then, the same region under Keel: before its team starts, and after it has joined. */
void keel_passing_fork(struct keel_passing_watch *watch, struct keel_region *region);
void keel_passing_join(const struct keel_passing_watch *watch);

/* --- regions whose loop GCC has divided among the threads by itself, run by shares ---
 *
 *   outlined function -> proof (shares/shares.h), once -> one plain run, to see that it asks Keel
 *     -> loop over many shares under a schedule -> the function once for each, as thread `share` of
 *        `shares`
 *
 * The function asks for its thread number and team size, and divides its iterations by them. While
 * a share runs, it gets the share's number and their number; other callers get libgomp's. */

/* A region's function that may be run by shares. */
struct keel_static_region;

/* One instance, on the stack of the thread that starts it. */
struct keel_static_shares {
    struct keel_static_region *region;
    void (*outlined)(void *);
    void *data;
    const void *caller; /* return address of the region's start */
    long count;
    bool plain; /* static shares are tried: each thread has its own one of the program */
};

static inline bool keel_static_regions_are_wanted(void)
{
    return (keel_settings()->override & KEEL_OVERRIDE_STATIC) != 0;
}

/* What is known of the function; NULL: it has to be left as it is, which a message says where there
 * is a report. caller: return address of the region's start. Any thread that may take locks of
 * Keel. */
struct keel_static_region *keel_static_region_of(void (*outlined)(void *), const void *caller);

/* Whether it has asked Keel for its thread number. */
bool keel_static_region_asks(const struct keel_static_region *region);

/* Shares that each thread of a team gets in the mean: more where no instance was short, as threads
 * wait for the last shares. */
long keel_static_region_shares(const struct keel_static_region *region);

/* An instance has taken so long. By the thread that has started it. */
void keel_static_region_time(struct keel_static_region *region, uint64_t elapsed_ns);

/* What each thread of the team runs: by shares, as a combined loop over them; or plainly, to see
 * whether it asks: then `shares` is a struct keel_static_shares. */
void keel_static_region_run(void *argument);
void keel_static_region_watch(void *shares);

/* Whether a barrier is one that the shares of a region need not wait at. caller: its return
 * address. */
bool keel_static_region_pass(const void *caller);

#endif
