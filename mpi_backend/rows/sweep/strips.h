/* Rows that move within a sweep, where strips (blocks of elements) meet.
 *
 *   a ruling at a hook -> [strips] -> at a later hook: rows to and from neighbours (handover.h)
 *        -> or at once, on all ranks (movement.h), and the sweep goes on
 *
 * Rows move at the same hook on all ranks, which is at the same element of the sweep. So rows that
 * move have been swept up to there, wherever they come from. Ranks come to that hook one after the
 * other, in the order of the sweep, and do not wait for each other:
 *
 * - A rank that gives rows to the one behind sends them and goes on; they are set aside until that
 *   rank is as far.
 * - A rank that gets rows from the one behind is ahead of these. It goes on with the rows that it
 *   has. When the others have come, it catches up: it sweeps them strip by strip to where it is
 *   (struct keel_mpi_late), and only then the rank behind gets their borders. */
#ifndef MPI_BACKEND_ROWS_SWEEP_STRIPS_H
#define MPI_BACKEND_ROWS_SWEEP_STRIPS_H

#include "mpi_backend/rows/sweep/state.h"

/* At the beginning of a sweep: the first block leaves out those own rows that read old ones of the
 * rank behind, which has not come to the end of its last sweep yet. Only where the program expects
 * some rows to be swept less far than others: within sweeps that rows may move in. */
void keel_mpi_strips_trail(struct keel_mpi_pipeline *pipeline);

/* keel_mpi_open_sweep: defer, settle. */
bool keel_mpi_strips_defer(void *pipeline, const uint64_t *shares, uint64_t ahead, uint64_t *moved);
void keel_mpi_strips_settle(void *pipeline);

/* Rows move whose movement was deferred to this hook, if all ranks are ready. */
void keel_mpi_strips_hand_over(struct keel_mpi_pipeline *pipeline);

/* Rows have moved on all ranks at this hook: the sweep goes on with those that are here now.
 * Collective. */
void keel_mpi_strips_resume(struct keel_mpi_pipeline *pipeline);

/* Whether rows are late: swept less far than others here, or not here yet. */
static inline bool keel_mpi_strips_are_late(const struct keel_mpi_sweep *sweep)
{
    return sweep->late.first < sweep->late.last;
}

/* The next block of late rows, in sweep->given. False: there is none, or none yet. waits: until
 * these rows have come. */
bool keel_mpi_strips_catch_up(struct keel_mpi_pipeline *pipeline, bool waits);

/* Own rows without those that are late: up to there most blocks are swept. */
void keel_mpi_strips_main_rows(const struct keel_mpi_sweep *sweep, uint64_t *first, uint64_t *last);

/* Waits until rows that were given to the rank before have gone. */
void keel_mpi_strips_await_before(struct keel_mpi_pipeline *pipeline);

/* At the end of a sweep: waits for all rows that have moved, and gives back their memory. */
void keel_mpi_strips_end(struct keel_mpi_pipeline *pipeline);

#endif
