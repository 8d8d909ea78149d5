/* Arrays and items of a distribution: adding them, and freeing all. */
#ifndef MPI_BACKEND_ROWS_ARRAYS_H
#define MPI_BACKEND_ROWS_ARRAYS_H

#include "mpi_backend/rows/state.h"

/* Frees all arrays and items. An exchange of halos that is pending is completed first. */
void keel_mpi_arrays_free(struct keel_mpi_rows *rows);

#endif
