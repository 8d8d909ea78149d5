/* Moves rows from rank to rank, with all that they have. */
#ifndef MPI_BACKEND_ROWS_MOVEMENT_MOVEMENT_H
#define MPI_BACKEND_ROWS_MOVEMENT_MOVEMENT_H

#include "mpi_backend/rows/state.h"

/* What a movement came to. */
struct keel_mpi_moved {
    uint64_t rows; /* moved by all ranks; one that passes through a rank counts again */
    double time_s; /* on this rank */
};

/* Moves rows so that each rank has shares[rank] of them. Collective; returns the same code on all
 * ranks unless they came too late. */
int keel_mpi_movement_make(struct keel_mpi_rows *rows, const uint64_t *shares,
                           struct keel_mpi_moved *moved);

#endif
