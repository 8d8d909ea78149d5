/* The chunks of a loop in order. */
#include "omp_ext/command/sequence.h"

#include <stdlib.h>

void keel_sequence_begin(struct keel_sequence *sequence, const struct keel_problem *problem)
{
    *sequence = (struct keel_sequence){.problem = *problem};
    sequence->problem.thread = 0;
    /* the threads of a weighted plan share one walk from its start, so it gets no table */
    bool weighted = problem->spec->schedule->claim == KEEL_CLAIM_WEIGHTED;
    sequence->plan =
        keel_plan_build(&sequence->problem, weighted ? NULL : realloc, &sequence->fallback);
    sequence->cursor.walk = sequence->plan->walk;
}

void keel_sequence_end(struct keel_sequence *sequence)
{
    if (sequence->plan != &sequence->fallback) {
        free(sequence->plan);
    }
}

/* Each claim needs the plan of its thread; one without a table is made in no time. */
static bool claim_in_turn(struct keel_sequence *sequence, uint64_t *last)
{
    uint64_t first;

    sequence->problem.thread = sequence->step % sequence->problem.threads;
    keel_plan_build(&sequence->problem, NULL, &sequence->turn);
    sequence->cursor.share = sequence->turn.share;
    return keel_claim_weighted(&sequence->turn, &sequence->claims, &sequence->cursor, &first, last);
}

/* End of the chunk at the current step. */
static bool next_chunk(struct keel_sequence *sequence, uint64_t *last)
{
    const struct keel_plan *plan = sequence->plan;
    uint64_t first;

    if (plan->claim == KEEL_CLAIM_WEIGHTED) {
        return claim_in_turn(sequence, last);
    }
    if (sequence->step >= plan->head) {
        return keel_walk_to_step(&sequence->cursor.walk, sequence->step, &first, last);
    }
    *last = plan->bound[sequence->step + 1];
    return true;
}

/* Behind the table all full chunks are alike: they are one piece, and what is left is another. */
static struct keel_run tail(const struct keel_sequence *sequence)
{
    uint64_t size = sequence->plan->tail_chunk;
    uint64_t left = sequence->plan->iterations - sequence->first;
    struct keel_run run = {sequence->step, sequence->first, size, left / size};

    if (run.chunks == 0) {
        run.size = left;
        run.chunks = 1;
    }
    return run;
}

/* One chunk or, where the plan knows them, all equal ones. */
static bool next_piece(struct keel_sequence *sequence, struct keel_run *piece)
{
    const struct keel_plan *plan = sequence->plan;
    uint64_t last;

    if (sequence->first == plan->iterations) {
        return false;
    }
    if (sequence->pieces == KEEL_SEQUENCE_MAX) {
        sequence->cut = true;
        return false;
    }
    sequence->pieces++;
    if (plan->claim != KEEL_CLAIM_WEIGHTED && !plan->walks && sequence->step >= plan->head) {
        *piece = tail(sequence);
    } else if (next_chunk(sequence, &last)) {
        *piece = (struct keel_run){sequence->step, sequence->first, last - sequence->first, 1};
    } else {
        return false;
    }
    sequence->step += piece->chunks;
    sequence->first += piece->size * piece->chunks;
    return true;
}

bool keel_sequence_next(struct keel_sequence *sequence, struct keel_run *run)
{
    if (!sequence->has_ahead && !next_piece(sequence, &sequence->ahead)) {
        return false;
    }
    *run = sequence->ahead;
    while ((sequence->has_ahead = next_piece(sequence, &sequence->ahead)) &&
           sequence->ahead.size == run->size) {
        run->chunks += sequence->ahead.chunks;
    }
    return true;
}
