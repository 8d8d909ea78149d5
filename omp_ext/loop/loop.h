/* One thread's part in one loop instance: its state, and its end.
 *
 *   entry points -> policy -> loop_open.h -> [plan] -> keel_loop_next() -> chunk -> thread
 *
 * A thread runs at most one scheduled loop at a time in one region. Each region gives each of its
 * threads a state of its own on that thread's stack, see entry/entry.h. So a nested region, or a
 * task that starts one, does not change the state of the enclosing loop. */
#ifndef OMP_EXT_LOOP_LOOP_H
#define OMP_EXT_LOOP_LOOP_H

#include "omp_ext/check/check.h"
#include "omp_ext/loop/team_sizes.h"
#include "omp_ext/gomp/libgomp.h"
#include "omp_ext/instance/shared_state.h"
#include "omp_ext/instance/space.h"
#include "omp_ext/settings/activity.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/site/site.h"
#include "schedules/claim/adversary.h"
#include "schedules/claim/plan.h"
#include "schedules/learn/learn.h"

/* --- a thread's own plans, kept so that a repeated loop neither allocates nor computes ---
 *
 * Everything here is private to the calling thread. At most KEEL_PLANS_KEPT plans of at most 128
 * KiB are kept per thread; usual plans take less than 1 KiB. They go when the thread ends. */

#define KEEL_PLANS_KEPT 64

/* What a plan depends on. */
struct keel_plan_key {
    const struct keel_policy *policy;
    uint64_t iterations;
    uint32_t threads;
    uint32_t thread;
};

struct keel_kept_plan {
    struct keel_plan_key key;
    const struct keel_plan *plan;
    unsigned users; /* loops of this thread that run by it now: more than one where regions nest */
    uint64_t used;  /* when last, counted in uses of the cache */
    bool kept;      /* still in the cache; otherwise the last user frees it */
    struct keel_plan without_table; /* serves where memory is short */
};

/* The plan for that key, built if it is not kept. Without memory for keeping it, NULL: the caller
 * makes one of its own with keel_plan_cache_problem. keel_loop_close() gives it back. */
struct keel_kept_plan *keel_plan_cache_acquire(const struct keel_plan_key *key);

/* The problem that the plan of `key` solves, with this process's weights. */
struct keel_problem keel_plan_cache_problem(const struct keel_plan_key *key);

/* --- loops --- */

/* A combined parallel loop. Its threads share nothing but this, on the stack of the thread that
 * meets the construct, which writes everything but `instance` before the team starts. */
struct keel_combined {
    struct keel_space space;
    const struct keel_policy *policy;
    const struct keel_libgomp *libgomp;
    struct keel_call_site place;
    /* written by all threads: on a cache line of its own */
    _Alignas(64) struct keel_instance instance;
};

/* Who decides how large a chunk is | how a thread gets one. */
enum keel_loop_mode {
    KEEL_LOOP_LIBGOMP,      /* libgomp | its own `next`; also: the thread is in no loop */
    KEEL_LOOP_EQUAL,        /* plan, all of one size | fetch-add on the step */
    KEEL_LOOP_STEPS,        /* plan, a table of sizes | fetch-add on the step */
    KEEL_LOOP_WEIGHTED,     /* plan and the thread's weight | fetch-add on the position */
    KEEL_LOOP_LEARNING,     /* plan and the thread's measured pace | the same, timed */
    KEEL_LOOP_ADAPTIVE,     /* the team, at claim time | by the shared state (claim/team.h) */
    KEEL_LOOP_OTHER,        /* plan | keel_claim(): own chunks, and plans without a table */
    KEEL_LOOP_MEASURED,     /* plan | keel_claim(), timed for the site's measurement */
    KEEL_LOOP_COMBINED,     /* not known yet | the first `next` opens the loop of `combined` */
    KEEL_LOOP_ORDERED,      /* plan | tickets of libgomp's ordered loop */
    KEEL_LOOP_LENT,         /* the lender | its next(), see lending/lending.h */
    KEEL_LOOP_STATIC_GIVEN, /* static shares | it is in istart and iend since the start */
    KEEL_LOOP_CHECKED,      /* an adversary | see checked_loop.c */
    KEEL_LOOP_STATIC,       /* static shares | by the first `next`; `trial`: timed */
    KEEL_LOOP_INSTRUMENTED, /* the loop's own mode, in `own_mode` | the same, for observers */
};

struct keel_timed_part;

/* Written and read by its thread only. In front of ":" the modes that use a field; without one:
 * all. */
struct keel_loop {
    enum keel_loop_mode mode;
    uint32_t threads;             /* size of the team, by `libgomp`; 0: not asked yet */
    uint32_t thread;              /* number in it */
    const struct keel_plan *plan; /* by a plan: it; KEEL_LOOP_EQUAL does without */
    struct keel_claims *claims; /* by a plan, CHECKED: in memory that libgomp shares in the team */
    uint64_t chunk_stride;      /* EQUAL: what one chunk adds to the loop variable, modulo 2^64 */
    uint64_t last_step;         /* EQUAL: the step that ends at space.end; units > 0 */
    struct keel_space space;
    struct keel_kept_plan *kept; /* by a plan: where it comes from; NULL: `own_plan` */
    const struct keel_libgomp *libgomp;
    struct keel_combined *combined;       /* COMBINED: the loop */
    enum keel_loop_mode own_mode;         /* INSTRUMENTED */
    bool observed;                        /* INSTRUMENTED: see loop/observed_loop.h */
    bool in_pieces;                       /* INSTRUMENTED: see loop/timed_loop.h */
    bool awaits;                          /* INSTRUMENTED: the thread may be without a core */
    bool wide, ordered;                   /* INSTRUMENTED: which `next` of libgomp goes on */
    struct keel_timed_part *timed_part;   /* for `in_pieces`; NULL: there is no room */
    const struct keel_policy *agreed;     /* what its team has agreed on, for observers, */
    const struct keel_policy *policy;     /* and the one in force in this instance */
    struct keel_measurement *measurement; /* MEASURED, LEARNING, ADAPTIVE: of the site, which
                                               chunks are timed for; NULL: none */
    struct keel_cost cost;                /* with `measurement`: measured so far */
    struct keel_record *record;           /* LEARNING: the team's */
    bool timed;                           /* MEASURED, LEARNING, ADAPTIVE: chunks are timed */
    uint64_t done;                        /* the same: units so far */
    double busy_ns;                       /* the same: their time */
    uint64_t chunk_first;                 /* the same: where the chunk that runs begins, */
    uint64_t chunk;                       /* timed ones: its units; 0: none runs */
    uint64_t chunk_start;                 /* timed ones: when it began, ticks */
    double overhead_ns;                   /* timed ones: what getting it took */
    struct keel_instance *instance;       /* ADAPTIVE, STATIC: what the team shares */
    struct keel_instance *awaited; /* whose end threads without a core wait for; NULL: none do */
    struct keel_shared_state *shared_state; /* ADAPTIVE, and plans of schedules that choose: NULL:
                                               none, or left */
    bool finished;         /* with a shared state, LENT: the thread has found the loop done */
    bool recheck;          /* the region tries short loops again, see site.h */
    bool costless;         /* costs were missing when the region began, see known_costs.h */
    unsigned asked;        /* loops of the region that have asked, */
    unsigned change_after; /* and after how many of them modes may change; 0: they may not */
    bool without_libgomp;  /* libgomp does not know the loop: it ends by a barrier */
    bool before_lending;   /* the region began before the process's first loan */
    bool before_activity;  /* it began while Keel was not to schedule anything */
    bool sized;            /* the team is as large as keel_team_sizes says */
    union {
        struct { /* by a plan */
            struct keel_cursor cursor;
            struct keel_learner learner; /* LEARNING: this thread's chunks in this instance */
            keel_ull ticket, ticket_end; /* ORDERED: the steps that were drawn last */
            bool ticket_ready;           /* ORDERED: they have not become a chunk yet */
            bool tickets_left;           /* ORDERED: the thread has got any at all */
            struct keel_plan own_plan;   /* where there is no memory for a kept one */
        };
        struct { /* ADAPTIVE */
            struct keel_team_worker worker;
            size_t logged;       /* chunks recorded */
            double start_ns;     /* with `measurement`: what entering the shared state took */
            double cpu_start_ns; /* CPU time at the start; 0: not asked for */
        };
        struct {                             /* STATIC */
            struct keel_settled_site *trial; /* what the share is timed for; NULL: nothing */
            bool ready;                      /* the thread has not got it yet */
        };
        struct { /* LENT */
            const struct keel_lender *lender;
            void *lender_handle; /* what join() returned; NULL: there is nothing for the thread */
        };
        struct { /* CHECKED */
            struct keel_adversary adversary;
            struct keel_check_site *checked;
            uint64_t number;        /* of the instance at its site, from 1 */
            uint64_t place;         /* behind the thread's last chunk */
            bool begun;             /* it has asked for one */
            bool waits_for_partner; /* it waits for others before its chunks, */
            double waited_ns;       /* so long so far */
        };
    };
};

extern _Atomic(const struct keel_team_sizes *) keel_team_sizes; /* NULL: not looked up yet */

struct keel_observed_thread;

/* Which loops whose time is counted a thread is in, see timed_loop.h. */
enum keel_loop_time_scope {
    KEEL_LOOP_TIME_NONE,
    KEEL_LOOP_TIME_OWN,  /* in a loop of its region, or a combined one that it has met */
    KEEL_LOOP_TIME_OUTER /* the region is in such a loop */
};

/* Written and read by its thread only; all zero at first. */
struct keel_thread {
    struct keel_loop *loop;             /* of the region that the thread is in; NULL: none yet */
    const struct keel_libgomp *libgomp; /* the region's; NULL: it is in none that Keel has seen */
    const struct keel_libgomp *loop_libgomp; /* of the loop that it has begun; NULL: none, or there
                                                is only one copy */
    enum keel_loop_time_scope time_scope;
    unsigned regions;        /* that it has started, for looks at short loops */
    uint64_t timed_since_ns; /* KEEL_LOOP_TIME_OWN: when it began; 0: another thread counts it */
    /* By keel_set_schedule or omp_set_schedule; NULL: by neither. */
    const struct keel_policy *set_policy;
    struct keel_known_costs *costs; /* by keel_set_costs, held; NULL: none */
    struct keel_check_thread check;
    struct keel_observed_thread *observed; /* its part in the region; NULL: no observer */
    bool sizes_team; /* of the region that it starts: keel_team_sizes has said how large it is */
    bool in_team;    /* of a region under Keel, or that was passed on and that it has started */
    void (*outlined)(void *); /* the region's function; NULL: it is not known */
    bool *needs_keel;   /* whether its region, which it has started, needs Keel; NULL: not wanted
                       */
    unsigned passed_on; /* regions that it has started in its region, and that run without Keel */
    struct keel_thread *before_pairs; /* what it was before the first one of those of code from
                                         before GCC 4.9 */
};

extern _Thread_local struct keel_thread keel_thread __attribute__((tls_model("initial-exec")));

/* The copy of libgomp for a call that returns to `caller`: that of the object there or, where it
 * has none, of the region. Wherever there may be several, every region is run so that its threads
 * know its copy. */
static inline const struct keel_libgomp *keel_loop_libgomp(const void *caller)
{
    const struct keel_libgomp *global = keel_libgomp_known();

    return __builtin_expect(global != NULL, 1) ? global
                                               : keel_libgomp_find(caller, keel_thread.libgomp);
}

/* The same for the start of a loop, which is never the last call of a function, and for its end,
 * which may be: the thread keeps in between whose loop it is in. */
static inline const struct keel_libgomp *keel_loop_libgomp_at_start(const void *caller)
{
    const struct keel_libgomp *libgomp = keel_loop_libgomp(caller);

    if (__builtin_expect(keel_libgomp_known() == NULL, 0)) {
        keel_thread.loop_libgomp = libgomp;
    }
    return libgomp;
}

static inline const struct keel_libgomp *keel_loop_libgomp_at_end(const void *caller)
{
    const struct keel_libgomp *libgomp = keel_thread.loop_libgomp;

    if (__builtin_expect(libgomp == NULL, 1)) {
        return keel_loop_libgomp(caller);
    }
    keel_thread.loop_libgomp = NULL;
    return libgomp;
}

/* Notes that the region has a loop which Keel does more with than leave it as it is. */
static inline void keel_loop_needs_keel(void)
{
    if (keel_thread.needs_keel != NULL) {
        *keel_thread.needs_keel = true;
    }
}

/* From now on `next` goes through the instrumented mode; the caller sets its recipient. */
static inline void keel_loop_instrument(struct keel_loop *loop, bool wide, bool ordered)
{
    if (loop->mode != KEEL_LOOP_INSTRUMENTED) {
        loop->own_mode = loop->mode;
        loop->mode = KEEL_LOOP_INSTRUMENTED;
        loop->observed = loop->in_pieces = loop->awaits = false;
        loop->wide = wide;
        loop->ordered = ordered;
    }
}

/* Closes the loop that the thread has been in, and makes its state ready for one over `space`: of
 * the region that the thread is in, or its own where it is in no region that Keel has seen. */
struct keel_loop *keel_loop_begin(const struct keel_libgomp *libgomp,
                                  const struct keel_space *space);

/* That state, which knows its team; the loop in it stays as it is. */
struct keel_loop *keel_loop_of_team(const struct keel_libgomp *libgomp);

/* Whether loops of the team that this thread is in may run under Keel: not if it started while
 * nothing had been asked of Keel, as some of its threads may be in a loop of libgomp's already, and
 * not in a region that was passed on. */
bool keel_loop_team_known(const struct keel_libgomp *libgomp);

/* The loop that this thread starts now is libgomp's: Keel answers no `next` for it. Closes the one
 * before. */
void keel_loop_pass_to_libgomp(void);

/* Releases the plan, the shared state and the loan of the loop: it is over for the thread, or was
 * cancelled, or another one begins. Does nothing to a closed loop. */
void keel_loop_close(struct keel_loop *loop);

/* Ends the thread's part in its loop; always false. */
bool keel_loop_finish(struct keel_loop *loop);

/* The thread's loop if it is one of Keel's; NULL: its `next` is libgomp's to answer. */
static inline struct keel_loop *keel_loop_own(void)
{
    struct keel_loop *loop = keel_thread.loop;

    return loop != NULL && loop->mode != KEEL_LOOP_LIBGOMP ? loop : NULL;
}

/* Whether the loop whose end this thread has reached ends by a barrier alone. */
static inline bool keel_loop_ends_by_barrier(void)
{
    struct keel_loop *loop = keel_thread.loop;
    bool by_barrier = loop != NULL && loop->without_libgomp;

    if (by_barrier) {
        loop->without_libgomp = false;
    }
    return by_barrier;
}

/* --- which policy a loop of this thread runs under ---
 *
 *   KEEL_SCHEDULE, or keel_set_schedule(), or OMP_SCHEDULE -> default policy
 *     -> rule and measurement of the site -> [loan, settled] -> policy of the loop */

/* Has Keel schedule loops from now on. Any thread. */
void keel_loop_activate(void);

/* The policy of this thread's next loop where no rule means it, measured parameters not filled in;
 * NULL: none has been asked for. */
const struct keel_policy *keel_loop_default_policy(void);

/* The policy for a loop in this thread; NULL: the loop is libgomp's. It keeps to the grain. Call
 * only while keel_loop_active(). */
const struct keel_policy *keel_loop_policy(const struct keel_libgomp *libgomp,
                                           const struct keel_construct *construct);

/* The same for a combined parallel loop over `space` that starts now: it takes the pending loan, or
 * is static where its site is settled. */
const struct keel_policy *keel_loop_combined_policy(const struct keel_libgomp *libgomp,
                                                    const struct keel_construct *construct,
                                                    const struct keel_space *space);

/* Whether the region or combined loop that the calling thread starts now tries short loops
 * again, see site.h. Call once for each. */
bool keel_loop_take_recheck(void);

/* What that will say the next time. */
bool keel_loop_recheck_is_next(void);

#endif
