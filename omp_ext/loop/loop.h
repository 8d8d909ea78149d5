/* One thread's part in one loop instance: opening it, taking chunks, closing it.
 *
 *   entry points -> keel_loop_open() -> [plan] -> keel_loop_next() -> chunk -> thread
 *
 * A thread runs at most one scheduled loop at a time in one region. Each region gives each of its
 * threads a state of its own on that thread's stack, see region.h, so that a nested region, or a
 * task that starts one, leaves the loop around it alone. */
#ifndef OMP_EXT_LOOP_LOOP_H
#define OMP_EXT_LOOP_LOOP_H

#include "omp_ext/check/check_site.h"
#include "omp_ext/gomp/libgomp.h"
#include "omp_ext/loop/plan_cache.h"
#include "omp_ext/loop/shared_state.h"
#include "omp_ext/loop/space.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/site/site.h"
#include "schedules/claim/adversary.h"
#include "schedules/claim/claim.h"
#include "schedules/learn/cost.h"
#include "schedules/learn/learner.h"

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

enum keel_loop_mode {
    KEEL_LOOP_LIBGOMP,      /* no loop, or one of libgomp's: `next` belongs to libgomp */
    KEEL_LOOP_EQUAL,        /* chunks by step number, all of one size */
    KEEL_LOOP_STEPS,        /* chunks by step number */
    KEEL_LOOP_WEIGHTED,     /* chunks by positions and shares */
    KEEL_LOOP_LEARNING,     /* chunks by positions and shares that follow from measured paces */
    KEEL_LOOP_ADAPTIVE,     /* chunks sized when they are claimed */
    KEEL_LOOP_OTHER,        /* chunks by another kind of claim, or walked */
    KEEL_LOOP_MEASURED,     /* chunks are timed */
    KEEL_LOOP_COMBINED,     /* the first `next` opens the loop of `combined` */
    KEEL_LOOP_ORDERED,      /* chunks in the order of libgomp's tickets */
    KEEL_LOOP_LENT,         /* chunks are lent, see share.h */
    KEEL_LOOP_STATIC_GIVEN, /* one block, which the thread has got already */
    KEEL_LOOP_CHECKED,      /* chunks by an adversarial schedule, see check.h */
    KEEL_LOOP_STATIC,       /* one block, the thread's static share; `trial`: timed */
    KEEL_LOOP_TRACED,       /* any of the first ones but LIBGOMP, see trace.h */
};

#define KEEL_LEASES_MAX 16 /* sites that a region has leases of; later ones take their places */

/* Instances of a site that a thread runs with static shares, as its team has agreed. */
struct keel_lease {
    const void *caller;
    uint64_t iterations; /* of the instance that they agreed on */
    unsigned left;
};

/* Written and read by its thread only. */
struct keel_loop {
    enum keel_loop_mode mode;
    uint32_t threads; /* size of the team, by `libgomp`; 0: not asked yet */
    uint32_t thread;  /* number in it */
    const struct keel_plan *plan;
    struct keel_claims *claims; /* in memory that libgomp shares among the team */
    uint64_t chunk_stride; /* equal chunks: what one chunk adds to the loop variable, modulo 2^64 */
    uint64_t last_step;    /* equal chunks: the step that ends at space.end; units > 0 */
    struct keel_space space;
    struct keel_kept_plan *kept; /* where `plan` comes from; NULL: `own_plan` */
    const struct keel_libgomp *libgomp;
    struct keel_combined *combined;
    struct keel_trace_worker *traced;       /* TRACED: its own mode is there */
    struct keel_measurement *measurement;   /* that chunks are timed for; NULL: none */
    struct keel_record *record;             /* learning: the team's */
    uint64_t done;                          /* learning, adaptive: units so far */
    double busy_ns;                         /* learning, adaptive: their time */
    uint64_t chunk;                         /* timed: units of the chunk that runs; 0: none */
    uint64_t chunk_start;                   /* timed: when it began, ticks */
    double overhead_ns;                     /* timed: what getting it took */
    struct keel_instance *instance;         /* that `shared_state` belongs to */
    struct keel_shared_state *shared_state; /* NULL: none, or left */
    bool finished;            /* with a shared state, or lent: the thread has found the loop done */
    bool recheck;             /* the region looks at settled loops again, see settled.h */
    uint64_t epoch;           /* as of which it knows them; 0: not at all */
    unsigned leases;          /* that have been made in the region */
    bool without_libgomp;     /* libgomp does not know the loop: it ends by a barrier */
    bool before_lending;      /* the region began before any iterations had been offered */
    struct keel_lease *lease; /* KEEL_LEASES_MAX; NULL: there is no room for leases */
    union {
        struct { /* chunks by a plan */
            struct keel_cursor cursor;
            struct keel_learner learner; /* learning: this thread's chunks in this instance */
            union {
                struct keel_cost cost; /* with `measurement`: measured so far in this instance */
                struct {               /* ordered */
                    keel_ull ticket, ticket_end; /* the steps that were drawn last */
                    bool ticket_ready;           /* they have not become a chunk yet */
                    bool tickets_left;           /* the thread has got any at all */
                };
            };
            struct keel_plan own_plan; /* where there is no memory for a kept one */
        };
        struct { /* adaptive */
            struct keel_team_worker worker;
            bool timed;           /* chunks are timed */
            size_t logged;        /* chunks noted */
            uint64_t chunk_first; /* where the chunk that runs begins */
            struct keel_cost
                measured_cost;   /* with `measurement`: measured so far in this instance */
            double start_ns;     /* likewise: what entering the shared state took */
            double cpu_start_ns; /* CPU time at the start; 0: not asked for */
        };
        struct {                        /* static shares */
            struct keel_settled *trial; /* what the share is timed for; NULL: nothing */
            bool ready;                 /* the thread has not got it yet */
        };
        struct { /* shared */
            const struct keel_lender *lender;
            void *lender_handle; /* what join() returned; NULL: there is nothing for the thread */
        };
        struct { /* checked */
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

/* Where a thread is in loops whose time counts, see loop_time.h. */
enum keel_loop_time_scope {
    KEEL_LOOP_TIME_NONE,
    KEEL_LOOP_TIME_OWN,  /* in a loop of its region, or a combined one that it has met */
    KEEL_LOOP_TIME_OUTER /* the region stands in such a loop */
};

/* Written and read by its thread only; all zero at first. */
struct keel_thread {
    struct keel_loop *loop; /* of the region that the thread is in; NULL: none yet */
    enum keel_loop_time_scope time_scope;
    unsigned regions;        /* that it has started, for looks at settled loops */
    uint64_t timed_since_ns; /* KEEL_LOOP_TIME_OWN: when it began; 0: another thread counts it */
    /* By keel_set_schedule or omp_set_schedule; NULL: by neither. */
    const struct keel_policy *set_policy;
    struct keel_known_costs *costs; /* by keel_set_costs, held; NULL: none */
    struct keel_check_thread check;
};

extern _Thread_local struct keel_thread keel_thread __attribute__((tls_model("initial-exec")));

/* Whether anything has been asked of Keel in this process. While it has not, entry points pass on
 * at once. */
enum keel_activity { KEEL_UNKNOWN, KEEL_OFF, KEEL_ON };
extern _Atomic int keel_activity;

bool keel_loop_find_activity(void);

static inline bool keel_loop_active(void)
{
    /* relaxed: keel_settings() orders what it hands out by itself */
    int activity = atomic_load_explicit(&keel_activity, memory_order_relaxed);

    return __builtin_expect(activity == KEEL_OFF, 1)
               ? false
               : activity == KEEL_ON || keel_loop_find_activity();
}

/* The policy of this thread's next loop where no rule means it, measured parameters not filled in;
 * NULL: none has been asked for. */
const struct keel_policy *keel_loop_default_policy(void);

/* What the policy of a loop depends on. */
struct keel_construct {
    struct keel_call_site place;
    bool in_order;  /* declared monotonic: each thread's iterations have to increase */
    uint64_t grain; /* its clause has chunks of so many iterations, so none may be separated that
                       stand in one of them, see keel_space_grain(); 0 or 1: any may */
};

/* The policy for a loop in this thread; NULL: the loop is libgomp's. It keeps to the grain. Call
 * only while keel_loop_active(). */
const struct keel_policy *keel_loop_policy(const struct keel_libgomp *libgomp,
                                           const struct keel_construct *construct);

/* The state of the loop that this thread starts now, which knows its team. */
struct keel_loop *keel_loop_of_team(const struct keel_libgomp *libgomp);

/* The same for a combined parallel loop over `space` that starts now: it takes the iterations that
 * are on offer.
 */
const struct keel_policy *keel_loop_combined_policy(const struct keel_libgomp *libgomp,
                                                    const struct keel_construct *construct,
                                                    const struct keel_space *space);

/* A loop as the program starts it, for Keel and, should the team agree on that, for libgomp. */
struct keel_start {
    struct keel_space space;
    const void *caller; /* return address of the call */
    bool in_order;      /* declared monotonic: each thread's iterations have to increase */
    bool wide;          /* over unsigned long long; else over long */
    bool up;            /* wide: it counts up */
    uint64_t grain;     /* as in struct keel_construct */
    long kind;          /* libgomp's start: KEEL_GFS_... of the clause, and the chunk there */
    keel_ull chunk;
    void *istart, *iend;   /* where a chunk goes: long or, if wide, keel_ull */
    uintptr_t *reductions; /* task reductions; NULL: none */
    void **memory; /* in: bytes that the program wants to share, out: where they are; NULL: none */
};

/* Whether loops of the team that this thread is in may run under Keel: not if it started while
 * nothing had been asked of Keel, as some of its threads may be in a loop of libgomp's already. */
bool keel_loop_team_known(const struct keel_libgomp *libgomp);

enum keel_opened {
    KEEL_OPENED_NOTHING,     /* libgomp's own start function is to be called */
    KEEL_OPENED,             /* keel_loop_next gives this thread's chunks */
    KEEL_LIBGOMP_CHUNK,      /* libgomp's `next` does, and its first one is at istart and iend */
    KEEL_LIBGOMP_NONE,       /* libgomp has none for this thread */
    KEEL_STATIC_SHARE_CHUNK, /* there is one chunk for this thread, at istart and iend */
    KEEL_STATIC_SHARE_NONE   /* there is none */
};

/* Whether loops of this region may borrow iterations, so that its threads have to agree also where
 * libgomp's schedule is meant. */
bool keel_loop_may_be_lent(void);

/* Joins the instance of a loop that all threads of the team reach by themselves, as libgomp's
 * *_start do. The team runs it under what the thread that comes first proposes, which may be
 * keel_policy_libgomp. */
enum keel_opened keel_loop_open(const struct keel_libgomp *libgomp, const struct keel_start *start,
                                const struct keel_policy *policy);

/* The same for an ordered loop, but all threads have to propose the same. Chunks go out in order,
 * and each waits in its ordered regions for the one before. */
enum keel_opened keel_loop_open_ordered(const struct keel_libgomp *libgomp,
                                        const struct keel_start *start,
                                        const struct keel_policy *policy);

/* Gives this thread its static share, the same as the compiler does, without a word to libgomp: for
 * loops of which all threads of the team know by themselves that they are static, and which share
 * no memory. */
enum keel_opened keel_loop_open_static(const struct keel_libgomp *libgomp,
                                       const struct keel_start *start);

/* Marks the loop that this thread starts now as libgomp's. */
void keel_loop_pass_to_libgomp(void);

/* Lets go of what the thread's loop holds: it is over, or was cancelled, or another one begins. */
void keel_loop_close(struct keel_loop *loop);

/* Where a chunk's bounds are written: a long or an unsigned long long of the program. */
typedef uint64_t __attribute__((may_alias)) keel_bound;

/* keel_loop_next for all modes but KEEL_LOOP_EQUAL. */
bool keel_loop_next_other(struct keel_loop *loop, keel_bound *start, keel_bound *end);

/* Ends the thread's part in its loop; always false. */
bool keel_loop_finish(struct keel_loop *loop);

/* The thread's loop if it is one of Keel's; NULL: its `next` is libgomp's to answer. */
static inline struct keel_loop *keel_loop_own(void)
{
    struct keel_loop *loop = keel_thread.loop;

    return loop != NULL && loop->mode != KEEL_LOOP_LIBGOMP ? loop : NULL;
}

/* Equal chunks need neither plan nor table. All fields are read before the claim: the processor
 * holds back every load that stands behind an atomic operation. */
static inline bool keel_loop_next_equal(struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    keel_claim_prefetch(loop->claims);
    uint64_t first = loop->space.start, bound = loop->space.end;
    uint64_t stride = loop->chunk_stride, last_step = loop->last_step;
    uint64_t step = keel_claim_next_step(loop->claims);

    if (__builtin_expect(step > last_step, 0)) {
        return keel_loop_finish(loop);
    }
    *start = first + step * stride;
    *end = step == last_step ? bound : first + step * stride + stride;
    return true;
}

/* Whether the loop whose end this thread has come to ends by a barrier alone. */
static inline bool keel_loop_ends_by_barrier(void)
{
    struct keel_loop *loop = keel_thread.loop;
    bool by_barrier = loop != NULL && loop->without_libgomp;

    if (by_barrier) {
        loop->without_libgomp = false;
    }
    return by_barrier;
}

/* The thread's next chunk as loop values [*start, *end); false: none, and the loop is over for this
 * thread. */
static inline bool keel_loop_next(struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    if (loop->mode == KEEL_LOOP_EQUAL) {
        return keel_loop_next_equal(loop, start, end);
    }
    return keel_loop_next_other(loop, start, end);
}

#endif
