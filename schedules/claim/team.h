/* A team in one instance of a loop whose chunks are sized when they are claimed.
 *
 * Beside plan and claim in the data flow, for what can't be worked out beforehand:
 *
 *   context: measured paces -> hooks of the schedule -> claim -> chunk -> time -> context
 *
 * Where a thread's chunks do not increase, the one that ends the loop is the last of its thread:
 * compilers take the thread whose last chunk ends with the loop for the one that sets lastprivate
 * variables. So after the loop's last iteration its thread must run nothing else. Schedules of
 * blocks therefore give out the last iteration at the very end, also where a list leaves it out;
 * where a list has it, the thread that takes that chunk gets no other.
 *
 * Times come from the caller, so that recorded ones drive it as well as real ones. No lock and no
 * allocation; a claim is one compare-and-swap as a rule. */
#ifndef SCHEDULES_CLAIM_TEAM_H
#define SCHEDULES_CLAIM_TEAM_H

#include <stdatomic.h>
#include <stddef.h>

#include "schedules/claim/claim_placement.h"
#include "schedules/claim/timing.h"
#include "schedules/loop/schedule.h"

/* A list of chunks, run instead of iterations in their order: claims then count list places. */
struct keel_chunk_list {
    uint64_t count;
    uint64_t iterations; /* that the chunks hold, the loop's first: N, of blocks also N - 1 */
    struct keel_listed_chunk {
        uint64_t first, last; /* iterations [first, last) */
    } chunk[];
};

/* Published state of one thread. Written by that thread, `block` also by threads that steal. */
struct keel_member {
    /* What nobody has begun of its block: units [low, high), low in the upper 32 bits. */
    _Alignas(64) _Atomic uint64_t block;
    _Atomic double mean_ns, variance_ns2;
    _Atomic uint64_t done; /* iterations in this instance */
    _Atomic uint64_t divisor;
};

/* Shared by the team. Fields without a note are written by keel_team_begin only,
 * `placement` by keel_team_place. */
struct keel_team {
    const struct keel_spec *spec;
    const struct keel_chunk_list *list;     /* NULL: iterations in their order */
    const struct keel_placement *placement; /* NULL: threads are alike, and equally near */
    uint64_t loop_iterations;               /* N */
    uint64_t iterations; /* of these, what claims hand out; with a list: its places */
    uint64_t threads;    /* P */
    uint64_t minimum;    /* smallest chunk, iterations; with a list: places */
    uint64_t unit;       /* iterations that one unit of a block stands for: 1 below 2^32 */
    _Alignas(64) _Atomic uint64_t next; /* iterations claimed, of sized ones and where
                                              the schedule counts them; written by all */
    _Atomic uint64_t ended; /* the last iteration has gone out; written by who takes it */
    struct keel_member member[];
};

/* Private state of one thread. */
struct keel_team_worker {
    struct keel_claim_context context;
    struct keel_team *team;
    uint64_t thread;
    bool over;         /* has had its last chunk */
    bool quick;        /* sized: its last chunk was over soon */
    uint64_t position; /* sized: where that ended */
    uint64_t chunks;   /* that it has finished */
    uint64_t refresh;  /* at which number of chunks context.team is worked out again */
    struct keel_timing timing;
};

/* Bytes that a team of `threads` takes; alignment 64. */
size_t keel_team_size(uint64_t threads);

/* Prepares one instance. spec: of a claim that is sized or of blocks, complete, outlives the team.
 * first: P + 1 values, not decreasing, from 0 to `iterations`: where each thread's block begins;
 * NULL: equal blocks. */
void keel_team_begin(struct keel_team *team, const struct keel_spec *spec, uint64_t iterations,
                     uint64_t threads, const uint64_t *first, const struct keel_chunk_list *list);

/* Says where the threads run; `placement`, of as many threads, outlives the team. After
 * keel_team_begin(), before any keel_team_worker_begin(). Until paces are measured, its weights
 * stand for them. An idle thread takes from the fullest block among those that are nearest to it,
 * if that has at least half as much left, in time, as the fullest of all. */
void keel_team_place(struct keel_team *team, const struct keel_placement *placement);

/* States a thread's pace in earlier instances (.mean_ns 0: not known), so that others know it
 * before the thread arrives. After keel_team_begin(), before any keel_team_worker_begin(). */
void keel_team_recall(struct keel_team *team, uint64_t thread, struct keel_pace known);

/* Begins thread `thread`. known: its pace in earlier instances, .mean_ns 0 if there is none. Each
 * thread for itself. */
void keel_team_worker_begin(struct keel_team_worker *worker, struct keel_team *team,
                            uint64_t thread, struct keel_pace known);

/* Takes the thread's next chunk, iterations [*first, *last); false: none is left for it. */
bool keel_team_worker_next(struct keel_team_worker *worker, uint64_t *first, uint64_t *last);

/* Takes in that the thread's last chunk took `time_ns` >= 0, after `overhead_ns` >= 0 spent on
 * getting it. A time that is not a number or negative counts as 0. */
void keel_team_worker_done(struct keel_team_worker *worker, double time_ns, double overhead_ns);

#endif
