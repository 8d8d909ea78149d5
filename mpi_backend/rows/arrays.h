/* Arrays and items of a distribution: adding them, and freeing all. */
#ifndef MPI_BACKEND_ROWS_ARRAYS_H
#define MPI_BACKEND_ROWS_ARRAYS_H

#include "mpi_backend/rows/state.h"

/* Frees all arrays and items. An exchange of halos that is pending is completed first. */
void keel_mpi_arrays_free(struct keel_mpi_rows *rows);

/* Arrays and items as `from` has them, for the placement of `rows`, which has none yet. False: no
 * memory. Local. */
bool keel_mpi_arrays_take_over(struct keel_mpi_rows *rows, const struct keel_mpi_rows *from);

#endif
