/* Chunks of a hold: iterations [low, high) that a team has for now, whose end others may take away
 * and behind which other holds follow. Sizes them by any schedule.
 *
 *   hold -> [sizer of a thread] -> size of its next chunk -> claim from the hold's front
 *
 * For loops that a team shares with other teams. Each thread has a sizer of its own; what it says
 * decides how much a thread takes, never which iterations. Pure: times come from the caller. */
#ifndef KEEL_SCHEDULES_LOOP_HOLD_H
#define KEEL_SCHEDULES_LOOP_HOLD_H

#include "schedules/loop/plan.h"
#include "schedules/loop/team.h"

/* A hold as its next claimer sees it. */
struct keel_hold {
    uint64_t length; /* iterations that it had when it came, >= left; what was taken from its end
                        since counts as not there */
    uint64_t left;   /* that nobody has begun, >= 1 */
};

/* One thread's. Written by the functions below only. */
struct keel_sizer {
    struct keel_spec spec; /* of a schedule whose chunks can be sized here */
    struct keel_turn turn;
    struct keel_plan *plan; /* for holds of plan->iterations; NULL: none yet */
    struct keel_plan small; /* where there is no memory for a table */
    struct keel_walk walk;
    uint64_t step;            /* of the plan, at or before the place of the last chunk */
    struct keel_seat samples; /* paces, as in a team */
};

/* Begins a loop for thread `thread` of `threads` >= 1. spec: complete, of any schedule. What stands
 * in: for blocks and lists their schedule in order; for parameters that are not measured yet,
 * fac2. known: its pace in earlier loops; .mean_ns 0: not known. */
void keel_sizer_begin(struct keel_sizer *sizer, const struct keel_spec *spec, uint64_t threads,
                      uint64_t thread, struct keel_pace known);

/* Size of the thread's next chunk, 1 .. hold->left. team: what is known of all threads' paces. */
uint64_t keel_sizer_size(struct keel_sizer *sizer, const struct keel_hold *hold,
                         const struct keel_paces *team);

/* Takes in that a chunk of `iterations` took time_ns, after overhead_ns to get it. */
void keel_sizer_done(struct keel_sizer *sizer, uint64_t iterations, double time_ns,
                     double overhead_ns);

/* The thread's pace so far; .mean_ns 0: not measured. */
struct keel_pace keel_sizer_pace(const struct keel_sizer *sizer);

/* Whether chunks have to be timed for it. */
bool keel_sizer_timed(const struct keel_sizer *sizer);

/* Frees what the sizer has. */
void keel_sizer_end(struct keel_sizer *sizer);

#endif
