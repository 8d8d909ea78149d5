/* The chunks of a loop in order. */
#include "omp_ext/command/parts/sequence.h"

#include <stdlib.h>

#include "schedules/claim/grain.h"

bool keel_sequence_is_rehearsed(const struct keel_problem *problem)
{
    return !keel_plan_exists(problem->spec->schedule);
}

static double equal_time(const struct keel_simulated_chunk *chunk, void *context)
{
    const struct keel_sequence *sequence = context;

    return (double)(chunk->last - chunk->first) * (double)sequence->grain *
           KEEL_SEQUENCE_ITERATION_NS;
}

static bool begin_rehearsal(struct keel_sequence *sequence)
{
    sequence->setup = (struct keel_simulation_setup){
        .spec = sequence->problem.spec,
        .iterations = sequence->problem.iterations,
        .threads = sequence->problem.threads,
        .claim_ns = KEEL_SEQUENCE_CLAIM_NS,
        .time_ns = equal_time,
        .context = sequence,
    };
    sequence->rehearsal = keel_simulation_begin(&sequence->setup);
    return sequence->rehearsal != NULL;
}

static void begin_plan(struct keel_sequence *sequence)
{
    /* the threads of a weighted plan share one walk from its start, so it gets no table */
    bool weighted = sequence->problem.spec->schedule->claim == KEEL_CLAIM_WEIGHTED;

    sequence->plan =
        keel_plan_build(&sequence->problem, weighted ? NULL : realloc, &sequence->fallback);
    sequence->cursor.walk = sequence->plan->walk;
}

bool keel_sequence_begin(struct keel_sequence *sequence, const struct keel_problem *problem)
{
    *sequence = (struct keel_sequence){
        .problem = *problem,
        .spec = keel_grain_spec(problem->spec),
        .iterations = problem->iterations,
        .grain = keel_grain_of(problem->spec),
    };
    sequence->problem.spec = &sequence->spec;
    sequence->problem.iterations = keel_grain_units(problem->iterations, sequence->grain);
    sequence->problem.thread = 0;
    if (keel_sequence_is_rehearsed(problem)) {
        return begin_rehearsal(sequence);
    }
    begin_plan(sequence);
    return true;
}

void keel_sequence_end(struct keel_sequence *sequence)
{
    if (sequence->rehearsal != NULL) {
        keel_simulation_end(sequence->rehearsal);
    } else if (sequence->plan != &sequence->fallback) {
        free(sequence->plan);
    }
}

/* Each claim needs the plan of its thread; one without a table is made in no time. */
static bool claim_in_turn(struct keel_sequence *sequence, uint64_t *last)
{
    uint64_t first;

    sequence->problem.thread = sequence->step % sequence->problem.threads;
    keel_plan_build(&sequence->problem, NULL, &sequence->thread_plan);
    sequence->cursor.share = sequence->thread_plan.share;
    return keel_claim_weighted(&sequence->thread_plan, &sequence->claims, &sequence->cursor, &first,
                               last);
}

/* End of the chunk at the current step. */
static bool next_of_plan(struct keel_sequence *sequence, uint64_t *last)
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
static struct keel_chunk_run tail(const struct keel_sequence *sequence)
{
    uint64_t size = sequence->plan->tail_chunk;
    uint64_t left = sequence->plan->iterations - sequence->handed;
    struct keel_chunk_run run = {.size = size, .chunks = left / size};

    if (run.chunks == 0) {
        run.size = left;
        run.chunks = 1;
    }
    return run;
}

/* One chunk or, where the plan knows them, all equal ones. */
static bool plan_piece(struct keel_sequence *sequence, struct keel_chunk_run *piece)
{
    const struct keel_plan *plan = sequence->plan;
    uint64_t last;

    if (plan->claim != KEEL_CLAIM_WEIGHTED && !plan->walks && sequence->step >= plan->head) {
        *piece = tail(sequence);
    } else if (next_of_plan(sequence, &last)) {
        *piece = (struct keel_chunk_run){.size = last - sequence->handed, .chunks = 1};
    } else {
        return false;
    }
    piece->first = sequence->handed;
    piece->thread = sequence->step % plan->threads;
    return true;
}

static bool rehearsed_piece(struct keel_sequence *sequence, struct keel_chunk_run *piece)
{
    struct keel_simulated_chunk chunk;

    if (!keel_simulation_next(sequence->rehearsal, &chunk)) {
        return false;
    }
    *piece = (struct keel_chunk_run){.first = chunk.first,
                                     .size = chunk.last - chunk.first,
                                     .chunks = 1,
                                     .thread = chunk.thread};
    return true;
}

/* Of equal pieces in units, the one that ends the loop may be shorter in iterations: it comes by
 * itself. */
static void part_end(const struct keel_sequence *sequence, struct keel_chunk_run *piece)
{
    bool ragged = sequence->iterations % sequence->grain != 0;

    if (ragged && piece->chunks > 1 &&
        piece->first + piece->size * piece->chunks == sequence->problem.iterations) {
        piece->chunks--;
    }
}

static uint64_t iteration_at(const struct keel_sequence *sequence, uint64_t unit)
{
    return keel_grain_iteration(unit, sequence->iterations, sequence->grain);
}

static void tell_in_iterations(const struct keel_sequence *sequence, struct keel_chunk_run *piece)
{
    uint64_t first = iteration_at(sequence, piece->first);

    piece->size = iteration_at(sequence, piece->first + piece->size) - first;
    piece->first = first;
}

static bool next_piece(struct keel_sequence *sequence, struct keel_chunk_run *piece)
{
    if (sequence->handed == sequence->problem.iterations) {
        return false;
    }
    if (sequence->pieces == KEEL_SEQUENCE_MAX) {
        sequence->cut = true;
        return false;
    }
    sequence->pieces++;
    if (!(sequence->rehearsal != NULL ? rehearsed_piece : plan_piece)(sequence, piece)) {
        return false;
    }
    part_end(sequence, piece);
    piece->step = sequence->step;
    sequence->step += piece->chunks;
    sequence->handed += piece->size * piece->chunks;
    tell_in_iterations(sequence, piece);
    return true;
}

/* Sequences that are cut have not come to the end, where a unit may be shorter. */
uint64_t keel_sequence_handed(const struct keel_sequence *sequence)
{
    return iteration_at(sequence, sequence->handed);
}

/* Whether the piece ahead goes on as the run does. Of a plan it always lies behind the run, and its
 * thread is the next. */
static bool goes_on(const struct keel_sequence *sequence, const struct keel_chunk_run *run)
{
    const struct keel_chunk_run *ahead = &sequence->ahead;

    return ahead->size == run->size && ahead->first == run->first + run->size * run->chunks &&
           ahead->thread == (run->thread + run->chunks) % sequence->problem.threads;
}

bool keel_sequence_next(struct keel_sequence *sequence, struct keel_chunk_run *run)
{
    if (!sequence->has_ahead && !next_piece(sequence, &sequence->ahead)) {
        return false;
    }
    *run = sequence->ahead;
    while ((sequence->has_ahead = next_piece(sequence, &sequence->ahead)) &&
           goes_on(sequence, run)) {
        run->chunks += sequence->ahead.chunks;
    }
    return true;
}
