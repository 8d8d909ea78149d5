/* The chunks of a loop in order, runs of equal ones taken together, from the same plans that
 * programs run by. A loop of 2^64 - 1 iterations takes no longer than its plan is large.
 *
 * Schedules whose chunks depend on who claims are driven as by a team whose threads take turns. */
#ifndef OMP_EXT_COMMAND_SEQUENCE_H
#define OMP_EXT_COMMAND_SEQUENCE_H

#include "schedules/loop/claim.h"

/* Chunks that are asked for one by one before the sequence is cut. */
#define KEEL_SEQUENCE_MAX 10000000

/* `chunks` equal chunks of `size` iterations, from step `step` and iteration `first` on. */
struct keel_run {
    uint64_t step, first, size, chunks;
};

struct keel_sequence {
    struct keel_problem problem;
    struct keel_plan *plan;    /* of thread 0 */
    struct keel_plan fallback; /* where there is no memory, and for single claims */
    struct keel_plan turn;     /* weighted: of the thread whose turn it is */
    struct keel_claims claims; /* of weighted plans */
    struct keel_cursor cursor; /* walks only forward, so that one serves all threads */
    uint64_t step, first;      /* of the next piece */
    uint64_t pieces;           /* asked for so far */
    bool cut;                  /* KEEL_SEQUENCE_MAX was reached and there is more */
    bool has_ahead;
    struct keel_run ahead; /* the piece that did not belong to the last run */
};

/* `problem` and what it points to must outlive the sequence; its thread is ignored. */
void keel_sequence_begin(struct keel_sequence *sequence, const struct keel_problem *problem);

/* The next run; false at the end, and where the sequence is cut. */
bool keel_sequence_next(struct keel_sequence *sequence, struct keel_run *run);

void keel_sequence_end(struct keel_sequence *sequence);

#endif
