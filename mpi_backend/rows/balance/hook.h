/* The hook, keel_mpi_rows_balance(), which a program calls once in each step. */
#ifndef MPI_BACKEND_ROWS_BALANCE_HOOK_H
#define MPI_BACKEND_ROWS_BALANCE_HOOK_H

#include "mpi_backend/rows/state.h"

/* Completes what is pending, and frees what hooks have made. Collective. */
void keel_mpi_hook_free(struct keel_mpi_rows *rows);

#endif
