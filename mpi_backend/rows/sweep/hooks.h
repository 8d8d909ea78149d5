/* Hooks within sweeps: so many in each, spread evenly over the elements of a row, at the ends of
 * the blocks there. So ranks count them alike, whatever blocks they know of.
 *
 *   blocks -> work, place in the sweep -> [hooks] -> keel_mpi_rows_balance() -> strips.c */
#ifndef MPI_BACKEND_ROWS_SWEEP_HOOKS_H
#define MPI_BACKEND_ROWS_SWEEP_HOOKS_H

#include "mpi_backend/rows/sweep/state.h"

/* A sweep begins. */
void keel_mpi_hooks_open(struct keel_mpi_pipeline *pipeline);

/* It has ended. */
void keel_mpi_hooks_close(struct keel_mpi_pipeline *pipeline);

/* The program has computed that part. */
void keel_mpi_hooks_note(struct keel_mpi_pipeline *pipeline, const struct keel_mpi_patch *part);

/* Whether the sweep is at its next hook. */
bool keel_mpi_hooks_is_here(const struct keel_mpi_pipeline *pipeline);

/* Whether ranks may wait for each other at the next hook, so that this one must owe nothing. */
bool keel_mpi_hooks_meets(const struct keel_mpi_pipeline *pipeline);

/* Makes that hook; rows may move. Collective where it meets. */
void keel_mpi_hooks_make(struct keel_mpi_pipeline *pipeline);

/* Blocks that begin before this element are the present rows'. */
uint64_t keel_mpi_hooks_limit(const struct keel_mpi_pipeline *pipeline);

#endif
