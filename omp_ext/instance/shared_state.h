/* State that a team shares in one instance of a loop whose chunks are sized at claim time: the
 * claims themselves, and the report of each thread.
 *
 *   record of the site -> [shared state: the first thread prepares it] -> threads -> chunks
 *        ^                                                                   |
 *        +------- the last thread that leaves learns from all reports -------+
 *
 * Shared states are kept for the next instance: a repeated loop allocates nothing. */
#ifndef OMP_EXT_INSTANCE_SHARED_STATE_H
#define OMP_EXT_INSTANCE_SHARED_STATE_H

#include "omp_ext/instance/space.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/site/site.h"
#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"

#define KEEL_LOG_MAX 256 /* chunks per thread and instance that go into the cost profile */

/* What the threads of a team share of one instance. libgomp gives it out zeroed, once per
 * work-sharing construct, and takes it back. At 32 bytes it fits into libgomp's own record of the
 * construct, so nothing is allocated. */
struct keel_instance {
    _Atomic(const struct keel_policy *) policy; /* that the first thread proposed; its lowest bit:
                                                   some thread has left, see loop/modes.h */
    struct keel_claims claims;
    union {
        _Atomic(struct keel_shared_state *) shared_state; /* NULL: not prepared, or not wanted */
        _Atomic uint64_t began; /* static shares: when the first thread did, ticks; `claims` has the
                                   sum of their ends, `users` the last one (loop/modes.c); 0: none
                                   has */
    };
    _Atomic uint64_t users; /* of a shared state, see LEFT_ONE in shared_state.c. Without one: the
                               instance's number in the trace or at its checked site; 0: none */
};

struct keel_known_costs;

/* Fields without a note are written by the thread that prepares the shared state, before others see
 * it. */
struct keel_shared_state {
    const struct keel_policy *policy; /* that the team agreed on */
    const struct keel_policy *run;    /* policy of this instance: `policy`, or one in its place */
    struct keel_record *record;       /* NULL: nothing is learned */
    struct keel_known_costs *costs;   /* that `team` runs by, acquired; NULL: none */
    int candidate; /* of a schedule that chooses: number of `run`, or KEEL_SELECTION_MEASURE */
    struct keel_space space; /* what the team divides are its units */
    uint64_t threads;
    uint64_t room;        /* threads that the shared state has memory for */
    uint64_t start_ticks; /* when it was prepared */
    bool times_cpu;       /* instances are long enough to ask for threads' CPU time */
    /* Mean time to get a chunk, of the thread that reported last; 0: not known. */
    _Atomic double claim_ns;
    bool awaits_all;        /* each thread has work of its own, which no other can do */
    atomic_bool cancelled;  /* a thread left before it was done; written by it */
    struct keel_pace *pace; /* of each thread: the known one, then the one that it has measured */
    struct keel_blocks_part *part; /* report of each thread, written when it leaves */
    struct keel_timed_chunk *log;  /* KEEL_LOG_MAX of each thread */
    uint64_t *first;               /* where blocks begin, threads + 1 */
    struct keel_team *team;        /* of schedules whose chunks are sized at claim time */
};

/* Enters the shared state of `instance` for the calling thread of a team of `threads`, preparing it
 * if no other thread has. costs: those set by the calling thread; NULL: none. policy->shared_states
 * is not NULL. Returns NULL if no iterations are left in this instance, and
 * &keel_shared_state_none, to all threads of the instance, if there is no memory. */
struct keel_shared_state *keel_shared_state_enter(struct keel_instance *instance,
                                                  const struct keel_policy *policy,
                                                  const struct keel_space *space, uint64_t threads,
                                                  struct keel_known_costs *costs);

/* Leaves it. finished: the thread has found the loop done; false: the loop was cancelled. The last
 * thread learns from all reports, and returns the shared state to its pool. */
void keel_shared_state_leave(struct keel_instance *instance, struct keel_shared_state *shared_state,
                             bool finished);

extern struct keel_shared_state keel_shared_state_none;

/* The chunks that thread `thread` has recorded. */
static inline struct keel_timed_chunk *
keel_shared_state_log(const struct keel_shared_state *shared_state, uint64_t thread)
{
    return shared_state->log + thread * KEEL_LOG_MAX;
}

/* --- copies what the site has learned into a new instance, and back ---
 *
 *   record -> recall() -> shared state -> threads -> reports -> learn() -> record */

/* Fills in what an instance begins with. shared_state->policy, record (whose lock the caller holds;
 * NULL: nothing is known), space and threads are set. costs: that the calling thread has been
 * given; NULL: none. */
void keel_experience_recall(struct keel_shared_state *shared_state, struct keel_known_costs *costs);

/* Learns from what the threads have reported, unless another instance of the site is learning now.
 * All threads have left. */
void keel_experience_learn(struct keel_shared_state *shared_state);

/* Traces the paces of a team whose schedule weighs its threads by them. */
void keel_learning_trace_paces(const struct keel_record *record, const struct keel_policy *policy);

#endif
