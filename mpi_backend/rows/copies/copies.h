/* Copies of rows, so that they survive the ranks that have them.
 *
 *   keel_mpi_rows_balance() -> is a copy due? -> [copies] -> snapshot.c
 *        -> generations.h, as for objects ~~> its holder
 *   a rank ends -> recover.c -> pieces.c */
#ifndef MPI_BACKEND_ROWS_COPIES_COPIES_H
#define MPI_BACKEND_ROWS_COPIES_COPIES_H

#include "mpi_backend/rows/copies/generations.h"
#include "mpi_backend/rows/rows_state.h"

/* Copies of these rows from now on, where KEEL_MPI_COPIES asks for them and there are other ranks.
 * False: no memory. Local. */
bool keel_mpi_rows_copies_begin(struct keel_mpi_rows *rows);

/* There are copies, or none, from now on: sets at which hook the next one is due. */
void keel_mpi_rows_copies_due(struct keel_mpi_rows *rows);

/* Takes a copy at this hook: KEEL_MPI_OK, or why there is none, on all ranks. Collective. */
int keel_mpi_rows_copies_take(struct keel_mpi_rows *rows);

#endif
