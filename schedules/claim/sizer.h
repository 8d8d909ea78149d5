/* Chunk sizes in a range of iterations that a node has at the moment. Others may take from its end;
 * later ranges follow it.
 *
 *   range -> [sizer of a thread] -> size of its next chunk -> claim from the range's front
 *
 * For loops that a team shares with other teams. Each thread has a sizer of its own; it
 * decides how much a thread takes, never which iterations. The schedule sees the range as a loop of
 * N = length; what has gone from its end counts as begun. No memory, no
 * shared data. Pure: times come from the caller. */
#ifndef SCHEDULES_CLAIM_SIZER_H
#define SCHEDULES_CLAIM_SIZER_H

#include "schedules/claim/plan.h"
#include "schedules/claim/timing.h"

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

/* Whether keel_sizer_done() has to be called for each chunk. */
bool keel_sizer_timed(const struct keel_sizer *sizer);

#endif
