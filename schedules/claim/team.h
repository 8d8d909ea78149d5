/* Chunks that are sized when they are claimed: their times, a team in one instance of a loop,
 * packed ranges, and claims ahead. For schedules that have no plan (plan.h). Pure. */
#ifndef SCHEDULES_CLAIM_TEAM_H
#define SCHEDULES_CLAIM_TEAM_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/claim/claim_placement.h"
#include "schedules/claim/plan.h"
#include "schedules/loop/schedule.h"

/* --- times of chunks ---
 *
 * The times of a thread's chunks, and the pace that follows from them.
 *
 *   timed chunks -> [timing] -> context (schedule.h) -> hooks. For teams and claims ahead.
 *
 * Here for the claim path: everything is inlined. Pure: times come from the caller. */

/* {0} at first. */
struct keel_timing {
    uint64_t chunks;        /* that have been timed */
    uint64_t sampled;       /* chunks in the sums below; a pace known beforehand is one more */
    double weight;          /* iterations, later chunks counting more */
    double time_ns;         /* of these */
    double square_ns2;      /* sum of t^2 / n over chunks of n iterations in t, weighted so, too */
    double samples;         /* sum of the weights of chunks */
    double overhead_sum_ns; /* spent on getting chunks */
};

#define KEEL_TIMING_KNOWN_PART 8 /* a pace known beforehand counts like this part of a share */

/* Adds a chunk of `iterations` > 0, counting `weight` times. */
static inline void keel_timing_add(struct keel_timing *timing, double iterations, double time_ns,
                                   double extra_ns2, double weight)
{
    timing->weight += weight * iterations;
    timing->time_ns += weight * time_ns;
    timing->square_ns2 += weight * (time_ns * time_ns / iterations + extra_ns2);
    timing->samples += weight;
    timing->sampled++;
}

/* Chunk k counts k times, as in keel_sample_add(). n iterations that take t in all have a mean of
 * t/n, which strays n times less than single ones do: the variance of one is the mean of
 * n (t/n - mean)^2. */
static inline struct keel_pace keel_timing_pace(const struct keel_timing *timing)
{
    struct keel_pace pace = {0};

    if (timing->weight > 0) {
        double count = (double)timing->sampled;
        pace.mean_ns = timing->time_ns / timing->weight;
        double squares = timing->square_ns2 - pace.mean_ns * pace.mean_ns * timing->weight;
        pace.variance_ns2 =
            fmax(0, squares) / timing->samples * (count > 1 ? count / (count - 1) : 1);
    }
    return pace;
}

static inline bool keel_timing_is_known(const struct keel_pace *pace)
{
    return pace->mean_ns > 0 && pace->mean_ns < INFINITY;
}

/* Begins with a known pace: it counts like the first chunks of a thread of `threads` in a loop of
 * `iterations`. */
static inline void keel_timing_recall(struct keel_timing *timing, const struct keel_pace *known,
                                      uint64_t iterations, uint64_t threads)
{
    double share = fmax(1, (double)iterations / (double)threads / KEEL_TIMING_KNOWN_PART);

    keel_timing_add(timing, share, share * known->mean_ns, known->variance_ns2, 1);
}

/* Records that a chunk of `iterations` > 0 took time_ns, after overhead_ns to get it, and updates
 * the context. Times that are not a number or negative count as 0. */
static inline void keel_timing_done(struct keel_timing *timing, uint64_t iterations, double time_ns,
                                    double overhead_ns, struct keel_claim_context *context)
{
    double overhead = overhead_ns > 0 ? overhead_ns : 0;
    double time = time_ns > 0 ? time_ns : 0;

    timing->chunks++;
    timing->overhead_sum_ns += overhead;
    context->overhead_ns = timing->overhead_sum_ns / (double)timing->chunks;
    keel_timing_add(timing, (double)iterations,
                    time + (context->spec->schedule->learns_overhead ? overhead : 0), 0,
                    (double)(timing->sampled + 1));
    context->own = keel_timing_pace(timing);
}

/* Adds a thread to the paces of its team; a pace that has not been measured is left out. */
static inline void keel_timing_join(struct keel_paces *paces, const struct keel_pace *pace)
{
    if (pace->mean_ns > 0) {
        paces->measured++;
        paces->speed_per_ns += 1 / pace->mean_ns;
        paces->spread_ns += pace->variance_ns2 / pace->mean_ns;
    }
}

/* --- teams ---
 *
 * A team in one instance of a loop whose chunks are sized when they are claimed. In the data flow
 * it replaces plan and claim:
 *
 *   context: measured paces -> hooks of the schedule -> claim -> chunk -> time -> context
 *
 * If a thread's chunks do not increase, the one that ends the loop is the last of its thread:
 * compilers let the thread whose last chunk ends with the loop set the lastprivate variables. So
 * after the loop's last iteration its thread must run no other. Schedules of blocks therefore give
 * out the last iteration at the very end, also if a list leaves it out; if a list has it, the
 * thread that takes that chunk gets no other.
 *
 * Times come from the caller, so that recorded ones drive it as well as real ones. No lock and no
 * allocation; a claim is usually one compare-and-swap. */

/* A list of chunks, run instead of iterations in their order: claims then count list indices. */
struct keel_chunk_list {
    uint64_t count;
    uint64_t iterations; /* in the chunks, the loop's first: N, of blocks also N - 1 */
    struct keel_listed_chunk {
        uint64_t first, last; /* iterations [first, last) */
    } chunk[];
};

/* Published state of one thread. Written by that thread, `block` also by threads that steal. */
struct keel_member {
    /* The part of its block that has not begun: units [low, high), low in the upper 32 bits. */
    _Alignas(64) _Atomic uint64_t block;
    _Atomic double mean_ns, variance_ns2;
    _Atomic uint64_t done; /* iterations in this instance */
    _Atomic uint64_t divisor;
};

/* Shared by the team. Fields without a comment on their writer are written by keel_team_begin()
 * only, `placement` by keel_team_place(). */
struct keel_team {
    const struct keel_spec *spec;
    const struct keel_chunk_list *list;     /* NULL: iterations in their order */
    const struct keel_placement *placement; /* NULL: threads are equal, and equally near */
    uint64_t loop_iterations;               /* N */
    uint64_t iterations;                    /* handed out by claims; with a list: its indices */
    uint64_t threads;                       /* P */
    uint64_t minimum;                       /* smallest chunk, iterations; with a list: indices */
    uint64_t unit;                          /* iterations in one unit of a block: 1 below 2^32 */
    _Alignas(64) _Atomic uint64_t next;     /* iterations claimed, of sized ones and where
                                              the schedule counts them; written by all */
    _Atomic uint64_t ended; /* the last iteration is handed out; written by its thread */
    struct keel_member member[];
};

/* Private state of one thread. */
struct keel_team_worker {
    struct keel_claim_context context;
    struct keel_team *team;
    uint64_t thread;
    bool over;         /* has had its last chunk */
    bool quick;        /* sized: its last chunk took at most QUICK_NS */
    uint64_t position; /* sized: the end of that chunk */
    uint64_t chunks;   /* that it has finished */
    uint64_t refresh;  /* number of chunks at which context.team is computed again */
    struct keel_timing timing;
};

/* Bytes that a team of `threads` takes; alignment 64. */
size_t keel_team_size(uint64_t threads);

/* Prepares one instance. spec: of a claim that is sized or of blocks, complete, outlives the team.
 * first: P + 1 values, not decreasing, from 0 to `iterations`: where each thread's block begins;
 * NULL: equal blocks. list: NULL for iterations in their order. */
void keel_team_begin(struct keel_team *team, const struct keel_spec *spec, uint64_t iterations,
                     uint64_t threads, const uint64_t *first, const struct keel_chunk_list *list);

/* Sets where the threads run; `placement`, of as many threads, outlives the team. After
 * keel_team_begin(), before any keel_team_worker_begin(). Until paces are measured, its weights
 * replace them. An idle thread takes from the fullest block among the nearest threads, if that has
 * at least half as much left, in time, as the fullest of all. */
void keel_team_place(struct keel_team *team, const struct keel_placement *placement);

/* Sets a thread's pace in earlier instances (.mean_ns 0: not known), so that others know it before
 * the thread arrives. After keel_team_begin(), before any keel_team_worker_begin(). */
void keel_team_recall(struct keel_team *team, uint64_t thread, struct keel_pace known);

/* Begins thread `thread`; called by the thread itself. known: its pace in earlier instances,
 * .mean_ns 0 if there is none. */
void keel_team_worker_begin(struct keel_team_worker *worker, struct keel_team *team,
                            uint64_t thread, struct keel_pace known);

/* Takes the thread's next chunk, iterations [*first, *last); false if none is left for it. */
bool keel_team_worker_next(struct keel_team_worker *worker, uint64_t *first, uint64_t *last);

/* Records that the thread's last chunk took `time_ns` >= 0, after `overhead_ns` >= 0 spent on
 * getting it. A time that is not a number or negative counts as 0. */
void keel_team_worker_done(struct keel_team_worker *worker, double time_ns, double overhead_ns);

/* --- packed ranges ---
 *
 * A range of units [low, high) in one 64-bit word, low in the upper half: the part of a block that
 * has not begun. One compare-and-swap takes from its front or cuts off its end, so the word hands
 * out disjoint units in any order of claims. */

static inline uint64_t keel_packed_range(uint64_t low, uint64_t high)
{
    return low << 32 | high;
}

static inline uint64_t keel_packed_range_low(uint64_t range)
{
    return range >> 32;
}

static inline uint64_t keel_packed_range_high(uint64_t range)
{
    return (uint32_t)range;
}

/* In units; 0 where high <= low. */
static inline uint64_t keel_packed_range_length(uint64_t range)
{
    uint64_t low = keel_packed_range_low(range), high = keel_packed_range_high(range);

    return high > low ? high - low : 0;
}

/* Packs the iterations of a loop with known costs into chunks that may run in any order.
 *
 *   costs -> chunks of neighbouring iterations -> largest first -> blocks -> team
 *
 * Pure. The same arguments give the same packing. */

/* The arguments of keel_team_begin(), in one piece of memory. */
struct keel_packing {
    const struct keel_chunk_list *list; /* each of its iterations in one chunk */
    const uint64_t *first; /* P + 1 values: where each thread's block begins; NULL: no blocks */
};

/* Packs a loop of `count` >= 1 iterations for `threads` >= 1 threads under a schedule that wants
 * costs. costs: relative, one per iteration; those not >= 0 and finite count as 0, and if all are
 * 0, all are equal. Memory comes from `reallocate`, which works like realloc; the caller frees it.
 * Returns NULL if memory is short.
 *
 * A schedule of blocks: each thread gets whole chunks, its largest first, so that the loads of the
 * blocks differ little. The loop's last iteration is left out, for the team to keep back; or, if it
 * is a large part of the loop, it is the last chunk of its block. Others: all chunks, largest
 * first, but the one that ends the loop is so late that the chunks behind it just keep the other
 * threads busy until it is done. Equally large ones are in the loop's order. O(count + k log k) for
 * k chunks. */
struct keel_packing *keel_packing_build(const struct keel_spec *spec, const double *costs,
                                        uint64_t count, uint64_t threads,
                                        void *(*reallocate)(void *, size_t));

/* --- claims ahead ---
 *
 * Chunks that are handed out ahead, because a worker is answered late: the counter's owner is in a
 * long iteration, and a claim would wait for its end.
 *
 *   pace, time of an answer, what is left -> [ahead] -> how many iterations to claim at once
 *
 * Pure. */

/* The input of a claim. */
struct keel_ahead {
    uint64_t left;          /* of the loop: iterations, or steps of a plan */
    uint64_t held;          /* that the worker has and has not begun, in the same unit */
    double since_ns;        /* age of `left` */
    double own_ns;          /* the worker's time for one of them; 0: not known */
    struct keel_paces team; /* of the measured workers, by iterations */
    double scale;           /* iterations in one of `left` */
    uint64_t workers;       /* P */
    double answer_ns;       /* how long an answer takes */
};

/* How many of `left` to claim so that they last until the answer after the next one: at most the
 * worker's share of what is left by the paces of all, and 3 or an eighth of an equal share, as
 * others may cost more. At least 1. */
uint64_t keel_ahead_amount(const struct keel_ahead *ahead);

/* The same if later chunks are smaller: as many as last until the next answer, at most an eighth of
 * an equal share. At least 1. */
uint64_t keel_ahead_small_amount(const struct keel_ahead *ahead);

/* Whether the worker should claim before it is idle: not if its share of what is left by now is
 * less than half of one. Faster workers would have to wait for it. */
bool keel_ahead_is_wanted(const struct keel_ahead *ahead);

/* How many steps of a plan, or chunks of one size, a worker claims at first: up to 3, and at most a
 * sixth of an equal share of all `steps`; 0 if that is less than one. */
uint64_t keel_ahead_first(uint64_t steps, uint64_t workers);

/* Chunk sizes in a range of iterations that a node has at present. Others may take from its end;
 * later ranges follow it.
 *
 *   range -> [sizer of a thread] -> size of its next chunk -> claim from the range's front
 *
 * For loops that a team shares with other teams. Each thread has a sizer of its own, which decides
 * how many iterations the thread takes, never which ones. The schedule sees the range as a loop of
 * N = length; iterations taken from its end count as begun. No memory, no shared data. Pure: times
 * come from the caller. */

/* A range as its next claimer sees it. */
struct keel_range_view {
    uint64_t length; /* iterations that it had on arrival, >= left */
    uint64_t left;   /* not begun, >= 1 */
};

/* One thread's; must not move after keel_sizer_begin(). Written by the functions below only. */
struct keel_sizer {
    struct keel_spec spec;             /* of a schedule whose chunks can be sized here */
    struct keel_claim_context context; /* .iterations: length of the range; 0: there was none yet */
    struct keel_walk walk; /* chunks known beforehand: along the range, not behind the next chunk */
    uint64_t left;         /* of the range, at the last look */
    struct keel_pace known;
    struct keel_timing timing;
};

/* Begins a loop for a thread of a team of `threads` >= 1. spec: complete, of any schedule.
 * Replaced: schedules of blocks and of lists by schedule->in_order; schedules with unmeasured
 * parameters by fac2. known: its pace in earlier loops; .mean_ns 0: not known. */
void keel_sizer_begin(struct keel_sizer *sizer, const struct keel_spec *spec, uint64_t threads,
                      struct keel_pace known);

/* Size of the thread's next chunk, 1 .. range->left. team: the measured paces of all threads, its
 * own included.
 *
 * Chunks known beforehand end as in the plan of a loop of range->length. Weighted ones take `size`
 * of range->left, times the thread's weight among those
 * measured; without a pace 1, or an eighth where weights are learned within a loop. */
uint64_t keel_sizer_size(struct keel_sizer *sizer, const struct keel_range_view *range,
                         const struct keel_paces *team);

/* Records that a chunk of `iterations` took time_ns, after overhead_ns to get it. Times that are
 * not a number or negative count as 0. */
void keel_sizer_done(struct keel_sizer *sizer, uint64_t iterations, double time_ns,
                     double overhead_ns);

/* The thread's pace so far; .mean_ns 0: not measured. */
struct keel_pace keel_sizer_pace(const struct keel_sizer *sizer);

#endif
