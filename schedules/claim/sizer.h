/* Chunks that are handed out ahead, where a worker is answered late: the counter's owner is in a
 * long iteration, and who claims would wait for its end.
 *
 *   pace, time of an answer, what is left -> [ahead] -> how many iterations to claim at once
 *
 * Pure. */
#ifndef SCHEDULES_CLAIM_SIZER_H
#define SCHEDULES_CLAIM_SIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/claim/plan.h"
#include "schedules/claim/timing.h"
#include "schedules/loop/schedule.h"

/* What a worker knows when it claims. */
struct keel_ahead {
    uint64_t left;          /* of the loop: iterations, or steps of a plan */
    uint64_t held;          /* that the worker has and has not begun, likewise */
    double since_ns;        /* since so much was left */
    double own_ns;          /* time that one of them takes the worker; 0: not known */
    struct keel_paces team; /* of those that are known, by iterations */
    double scale;           /* iterations of one in `left` */
    uint64_t workers;       /* P */
    double answer_ns;       /* how long an answer takes */
};

/* How many of `left` to claim so that they last until the answer after the next one: at most the
 * worker's share of what is left by the paces of all, and 3 or an eighth of an equal share, as
 * others may cost more. At least 1. */
uint64_t keel_ahead_amount(const struct keel_ahead *ahead);

/* The same where later chunks are smaller: so many that they last until the next answer, at most an
 * eighth of an equal share. At least 1. */
uint64_t keel_ahead_small_amount(const struct keel_ahead *ahead);

/* Whether the worker should claim before it is idle: not where its share of what is left by now is
 * less than half of one. Others that are faster would have to wait for it. */
bool keel_ahead_is_wanted(const struct keel_ahead *ahead);

/* How many steps of a plan, or chunks of one size, a worker claims at first: up to 3, and no more
 * than a sixth of an equal share of all `steps`. 0 where that is less than one. */
uint64_t keel_ahead_first(uint64_t steps, uint64_t workers);

/* Chunk sizes in a range of iterations that a node has at the moment. Others may take from its end;
 * later ranges follow it.
 *
 *   range -> [sizer of a thread] -> size of its next chunk -> claim from the range's front
 *
 * For loops that a team shares with other teams. Each thread has a sizer of its own; it
 * decides how much a thread takes, never which iterations. The schedule sees the range as a loop of
 * N = length; what has gone from its end counts as begun. No memory, no
 * shared data. Pure: times come from the caller. */

/* A range as its next claimer sees it. */
struct keel_range_view {
    uint64_t length; /* iterations that it had when it came, >= left */
    uint64_t left;   /* that nobody has begun, >= 1 */
};

/* One thread's; stays where it is from begin on. Written by the functions below only. */
struct keel_sizer {
    struct keel_spec spec;             /* of a schedule whose chunks can be sized here */
    struct keel_claim_context context; /* .iterations: length of the range; 0: there was none yet */
    struct keel_walk walk; /* chunks known beforehand: along the range, not behind the next chunk */
    uint64_t left;         /* of the range, when it was last looked at */
    struct keel_pace known;
    struct keel_timing timing;
};

/* Begins a loop for a thread of a team of `threads` >= 1. spec: complete, of any schedule.
 * Replaced: schedules of blocks and of lists by schedule->in_order; schedules with unmeasured
 * parameters by fac2. known: its pace in earlier loops; .mean_ns 0: not known. */
void keel_sizer_begin(struct keel_sizer *sizer, const struct keel_spec *spec, uint64_t threads,
                      struct keel_pace known);

/* Size of the thread's next chunk, 1 .. range->left. team: what is known of all threads' paces, its
 * own included.
 *
 * Chunks that are known beforehand end where they do in the plan of a loop of range->length.
 * Weighted ones take what `size` says of range->left, times the thread's weight among those
 * measured; without a pace 1, or an eighth where weights are learned within a loop. */
uint64_t keel_sizer_size(struct keel_sizer *sizer, const struct keel_range_view *range,
                         const struct keel_paces *team);

/* Takes in that a chunk of `iterations` took time_ns, after overhead_ns to get it. Times that are
 * not a number or negative count as 0. */
void keel_sizer_done(struct keel_sizer *sizer, uint64_t iterations, double time_ns,
                     double overhead_ns);

/* The thread's pace so far; .mean_ns 0: not measured. */
struct keel_pace keel_sizer_pace(const struct keel_sizer *sizer);

#endif
