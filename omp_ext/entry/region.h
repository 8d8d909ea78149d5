/* Parallel regions: each thread of a team gets a loop state of its own, and inherits what its
 * creator asked for. */
#ifndef OMP_EXT_ENTRY_REGION_H
#define OMP_EXT_ENTRY_REGION_H

#include "omp_ext/entry/team_size.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/observe/observe.h"
#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/site/known_costs.h"

/* Passed to libgomp instead of the program's function and data. Lives on the stack of the thread
 * that meets the construct, which returns only when the whole team has left the region. */
struct keel_region {
    void *reductions; /* first, where GOMP_parallel_reductions looks for it: the first word of the
                         program's data */
    void (*outlined)(void *);
    void *data;
    const struct keel_static_shares *shares; /* that `outlined` is run for by the function behind */
    void (*run_shares)(const struct keel_static_shares *); /* NULL: it is run once */
    const struct keel_libgomp *libgomp;
    const struct keel_policy *set_policy;
    struct keel_known_costs *costs; /* held by the thread that meets the construct */
    struct keel_combined *combined; /* NULL: not a combined loop under Keel */
    bool before_lending;            /* there has been no loan in the process yet */
    bool recheck;                   /* short loops are tried again, see site.h */
    bool costless;                  /* costs are missing, see known_costs.h */
    bool in_team;                   /* it starts within another one */
    void (*outermost)(void *);      /* the function of the outermost region; NULL: not known */
    enum keel_loop_time_scope time_scope; /* what its threads begin with */
    struct keel_check_site *check;        /* the region where loops are checked; NULL: not known */
    bool before_activity;                 /* Keel schedules nothing yet */
    struct keel_seen_region *seen;        /* for observers; NULL: nobody observes it */
    const struct keel_space *watched;     /* of the loop that it is combined with, whose iterations
                                             are timed; NULL: they are not */
    const struct keel_thread *starter;    /* the thread that meets the construct */
    bool *needs_keel; /* for that thread to note whether the region needs Keel; NULL: nobody wants
                         to know */
};

/* What is there beside a region that is observed, on the stack of the same thread. */
struct keel_seen_region {
    struct keel_observed_region observed;
    struct keel_observed_loop loop; /* that it is combined with; place.caller NULL: none */
};

/* A region for this thread to start. */
struct keel_region keel_region_of(const struct keel_libgomp *libgomp, void (*outlined)(void *),
                                  void *data, struct keel_combined *combined);

extern _Atomic(keel_team_size_asked *) keel_region_asked; /* NULL: nobody */

static inline bool keel_region_team_is_asked(void)
{
    /* relaxed: a region that begins meanwhile may ask or not */
    return __builtin_expect(atomic_load_explicit(&keel_region_asked, memory_order_relaxed) != NULL,
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
static inline bool keel_region_is_passed_by(const void *caller, void (*outlined)(void *))
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

/* Whether loops may divide themselves: nobody but the schedules of the environment has a say in
 * what they do, and nobody wants to see them. */
bool keel_region_allows_modes(void);

/* Before the team starts, and after it has joined. */
void keel_region_fork(struct keel_region *region, struct keel_region_watch *watch,
                      const void *caller);
void keel_region_join(struct keel_region_watch *watch);

/* Begins the calling thread's part in an observed region. */
void keel_region_begin_part(const struct keel_region *region, struct keel_observed_thread *part);

/* Gives the calling thread the loop state `loop` for the region. */
void keel_region_enter(const struct keel_region *region, struct keel_loop *loop);

/* Gives the calling thread back what it was before it entered. */
void keel_region_leave(const struct keel_thread *outer);

/* What each thread of the team runs; `region` is a struct keel_region. */
void keel_region_run(void *region);

#endif
