/* Makes one round of a movement.
 *
 *   transfers -> memory, items packed -> are all ranks ready? -> messages, all at once, from array
 *        to array -> items unpacked -> have all ranks everything? -> the new placement counts
 *
 * Until all ranks have everything, nothing is given up. Where one has no memory, or a function of
 * the program fails, what was received is dropped, and rows stay as they were before the round. */
#ifndef MPI_BACKEND_ROWS_MOVEMENT_ROUND_H
#define MPI_BACKEND_ROWS_MOVEMENT_ROUND_H

#include "mpi_backend/rows/movement/transfers.h"

/* transfer: of all ranks, the same on each. Collective; returns the same code on all ranks unless
 * they came too late. */
int keel_mpi_round_make(struct keel_mpi_rows *rows, struct keel_mpi_transfer *transfer,
                        size_t transfers);

#endif
