/* The first hook of a distribution: which policy is used, and what messages cost. */
#ifndef MPI_BACKEND_ROWS_BALANCE_FIRST_HOOK_H
#define MPI_BACKEND_ROWS_BALANCE_FIRST_HOOK_H

#include "mpi_backend/rows/state.h"

/* Begins balancing: the next hook is due, or none ever if rows are not to be balanced. Collective;
 * returns the same code on all ranks unless they came too late. */
int keel_mpi_first_hook(struct keel_mpi_rows *rows);

#endif
