/* The size of a sweep's blocks, chosen by the first rank of the sweep.
 *
 *   times of blocks and waiting -> figures of a sweep ~~> maxima of all ranks (async_reduce.h)
 *        -> block_size.h -> size of the blocks of a later sweep */
#ifndef MPI_BACKEND_ROWS_SWEEP_SIZES_H
#define MPI_BACKEND_ROWS_SWEEP_SIZES_H

#include "mpi_backend/rows/sweep/state.h"

/* Measures messages; reductions may begin. Collective. */
void keel_mpi_sizes_open(struct keel_mpi_pipeline *pipeline, MPI_Comm comm);

/* A sweep begins. Where rows have moved since the last one did, blocks take less time than they
 * took, and are reckoned with that until the figures of this sweep come: grain follows balance. */
void keel_mpi_sizes_follow_rows(struct keel_mpi_pipeline *pipeline);

/* Takes the results of reductions that are complete. Waits for nothing. */
void keel_mpi_sizes_receive(struct keel_mpi_pipeline *pipeline);

/* Of the first rank of a sweep: the size of its blocks, >= 1. */
uint64_t keel_mpi_sizes_choose(struct keel_mpi_pipeline *pipeline);

/* Cuts the present sweep into blocks of that size. */
void keel_mpi_sizes_cut(struct keel_mpi_pipeline *pipeline, uint64_t size);

/* At the end of a sweep, on all ranks: its figures; begins a reduction if one is due. */
void keel_mpi_sizes_note_sweep(struct keel_mpi_pipeline *pipeline);

/* Fills in pipeline->report for the sweep that has ended. */
void keel_mpi_sizes_report(struct keel_mpi_pipeline *pipeline);

#endif
