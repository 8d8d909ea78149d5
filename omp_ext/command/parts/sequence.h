/* The chunks of a loop in order, runs of equal ones taken together, from the same plans that
 * programs run by. A loop of 2^64 - 1 iterations takes no longer than its plan is large.
 *
 * Weighted schedules are driven as by a team whose threads take turns; those that measure, as by
 * one of equal threads in a loop of equal iterations. */
#ifndef OMP_EXT_COMMAND_PARTS_SEQUENCE_H
#define OMP_EXT_COMMAND_PARTS_SEQUENCE_H

#include "schedules/claim/claim.h"
#include "schedules/forecast/simulation.h"

/* Chunks that are asked for one by one before the sequence is cut. */
#define KEEL_SEQUENCE_MAX 10000000

/* What schedules that measure are shown with, ns. */
#define KEEL_SEQUENCE_ITERATION_NS 1000.0
#define KEEL_SEQUENCE_CLAIM_NS 100.0

/* `chunks` equal chunks of `size` iterations, one behind the other, from step `step` and iteration
 * `first` on. */
struct keel_chunk_run {
    uint64_t step, first, size, chunks;
    uint64_t thread; /* of the first chunk, the others taking turns; of steps that anyone may draw:
                        nothing */
};

struct keel_sequence {
    struct keel_problem problem; /* in units of the grain, as all is that no run tells of */
    struct keel_spec spec;       /* the problem's */
    uint64_t iterations, grain;
    struct keel_plan *plan;             /* of thread 0 */
    struct keel_plan fallback;          /* where there is no memory, and for single claims */
    struct keel_plan thread_plan;       /* weighted: of the thread whose turn it is */
    struct keel_claims claims;          /* of weighted plans */
    struct keel_cursor cursor;          /* walks only forward, so that one serves all threads */
    struct keel_simulation_setup setup; /* without a plan: what is rehearsed */
    struct keel_simulation *rehearsal;
    uint64_t step;   /* of the next piece */
    uint64_t handed; /* units before it; of a plan: where it begins */
    uint64_t pieces; /* asked for so far */
    bool cut;        /* KEEL_SEQUENCE_MAX was reached and there is more */
    bool has_ahead;
    struct keel_chunk_run ahead; /* the piece that did not belong to the last run */
};

/* Whether the sequence is one of many that measurements may lead to. */
bool keel_sequence_is_rehearsed(const struct keel_problem *problem);

/* `problem` and what it points to must outlive the sequence; its thread is ignored. False, and
 * nothing to end: no memory, or it is rehearsed and has more than KEEL_SIMULATION_THREADS_MAX
 * threads. */
bool keel_sequence_begin(struct keel_sequence *sequence, const struct keel_problem *problem);

/* Iterations that runs have told of. */
uint64_t keel_sequence_handed(const struct keel_sequence *sequence);

/* The next run; false at the end, and where the sequence is cut. */
bool keel_sequence_next(struct keel_sequence *sequence, struct keel_chunk_run *run);

void keel_sequence_end(struct keel_sequence *sequence);

#endif
