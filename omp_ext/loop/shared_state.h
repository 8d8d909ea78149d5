/* What a team shares in one instance of a loop that measures itself: the claims that are sized when
 * they are made, and each thread's report of its part.
 *
 *   record of the site -> [shared state: prepared by whoever comes first] -> threads -> chunks
 *        ^                                                                       |
 *        +------- whoever leaves last takes everybody's part in ----------------+
 *
 * Shared states are kept for the next instance: a repeated loop allocates nothing. */
#ifndef OMP_EXT_LOOP_SHARED_STATE_H
#define OMP_EXT_LOOP_SHARED_STATE_H

#include "omp_ext/loop/space.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/settings/shared_state_pool.h"
#include "omp_ext/site/record.h"
#include "schedules/claim/claim.h"
#include "schedules/claim/team.h"

#define KEEL_LOG_MAX 256 /* chunks per thread and instance that go into the cost profile */

/* What the threads of a team share of one instance. libgomp gives it out zeroed, once per
 * work-sharing construct, and takes it back. At 32 bytes it fits into libgomp's own record of the
 * construct, so nothing is allocated. */
struct keel_instance {
    _Atomic(const struct keel_policy *) policy; /* of the thread that came first */
    struct keel_claims claims;
    union {
        _Atomic(struct keel_shared_state *) shared_state; /* NULL: not prepared, or not wanted */
        _Atomic uint64_t began; /* trials: when the first thread did, ticks; `claims` has the sum of
                                   their ends, `users` the last one, see trial.h; 0: none has */
    };
    _Atomic uint64_t users; /* threads in the shared state, and above that how many have left it;
                               KEEL_SHARED_STATE_CLOSED once nothing is left to do.
                               Without a shared state: the instance's number in the
                               trace; 0: none */
};

#define KEEL_SHARED_STATE_CLOSED (UINT64_C(1) << 63)

struct keel_known_costs;

/* Fields without a note are written by whoever prepares the shared state, before others see it. */
struct keel_shared_state {
    const struct keel_policy *policy; /* that the team agreed on */
    const struct keel_policy *run;    /* what it runs: `policy`, or what stands for it this time */
    struct keel_record *record;       /* NULL: nothing is learned */
    struct keel_known_costs *costs;   /* that it holds, as `team` runs by them; NULL: none */
    int candidate; /* of a schedule that chooses: number of `run`, or KEEL_SELECTION_MEASURE */
    struct keel_space space; /* what the team divides are its units */
    uint64_t threads;
    uint64_t room;        /* threads that the shared state has memory for */
    uint64_t start_ticks; /* when it was prepared */
    bool times_cpu;       /* instances are long enough to ask for threads' CPU time */
    /* Mean time to get a chunk, of the thread that reported last; 0: not known. */
    _Atomic double claim_ns;
    _Atomic uint64_t trace_number; /* the instance's number in the trace; 0: none */
    bool awaits_all;        /* a thread may be done while others still have work of their own */
    atomic_bool cancelled;  /* a thread left before it was done; written by it */
    struct keel_pace *pace; /* of each thread: what is known, then what it has measured */
    struct keel_blocks_part *part; /* of each thread: what it reports when it leaves */
    struct keel_timed_chunk *log;  /* KEEL_LOG_MAX of each thread */
    uint64_t *first;               /* where blocks begin, threads + 1 */
    struct keel_team *team;        /* where `run` is of a sized claim or of blocks */
};

/* Enters the shared state of `instance` for the calling thread of a team of `threads`, preparing it
 * if nobody has. policy->shared_states is not NULL. NULL: nothing is left to do in this instance.
 * &keel_shared_state_none: there is no memory; all threads of the instance get that. */
struct keel_shared_state *keel_shared_state_enter(struct keel_instance *instance,
                                                  const struct keel_policy *policy,
                                                  const struct keel_space *space, uint64_t threads);

/* Leaves it; finished: the thread has found the loop done, else the loop was cancelled. The last
 * thread takes in what all have reported, and gives the shared state back. */
void keel_shared_state_leave(struct keel_instance *instance, struct keel_shared_state *shared_state,
                             bool finished);

extern struct keel_shared_state keel_shared_state_none;

/* The chunks that thread `thread` notes. */
static inline struct keel_timed_chunk *
keel_shared_state_log(const struct keel_shared_state *shared_state, uint64_t thread)
{
    return shared_state->log + thread * KEEL_LOG_MAX;
}

#endif
