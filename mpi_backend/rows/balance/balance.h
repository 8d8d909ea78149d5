/* The hook of a program, keel_mpi_rows_balance(): what is freed of it. */
#ifndef MPI_BACKEND_ROWS_BALANCE_BALANCE_H
#define MPI_BACKEND_ROWS_BALANCE_BALANCE_H

#include "mpi_backend/rows/state.h"

/* Completes what is pending, and frees what the hook has made. */
void keel_mpi_balancer_free(struct keel_mpi_rows *rows);

#endif
