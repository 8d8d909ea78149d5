/* KEEL_MPI_TRACE: a line for each exchange of figures, as a rank saw it.
 *
 *   hook.c, once a ruling has been carried out --> [a line] --> FILE.RANK */
#ifndef MPI_BACKEND_ROWS_BALANCE_TRACE_H
#define MPI_BACKEND_ROWS_BALANCE_TRACE_H

#include "mpi_backend/report/decisions.h"
#include "mpi_backend/rows/state.h"

/* At the first hook. If the file cannot be written, that is said, and nothing is traced. */
void keel_mpi_rows_trace_open(struct keel_mpi_rows *rows);

/* time_s: since the first hook. */
void keel_mpi_rows_trace_note(const struct keel_mpi_rows *rows, double time_s,
                              const struct keel_mpi_decision *decision);

void keel_mpi_rows_trace_close(struct keel_mpi_rows *rows);

#endif
