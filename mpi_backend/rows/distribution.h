/* Makes and frees distributions of rows, in steps.
 *
 *   [open] -> [place], or copies/recover.c -> ranks agree -> [begin] -> public functions */
#ifndef MPI_BACKEND_ROWS_DISTRIBUTION_H
#define MPI_BACKEND_ROWS_DISTRIBUTION_H

#include "mpi_backend/rows/state.h"

/* KEEL_MPI_OK: rows can be distributed over it. Else that has been said. */
int keel_mpi_rows_look_at_communicator(MPI_Comm comm);

/* An empty distribution; NULL: *code says why. where: for messages. Collective. */
struct keel_mpi_rows *keel_mpi_rows_open(MPI_Comm comm, const char *where, int *code);

/* Places rows in blocks, as they are at first. False: no memory. Local. */
bool keel_mpi_rows_place_first(struct keel_mpi_rows *rows, uint64_t count);

/* To be called when all ranks have all that it needs. Local. */
void keel_mpi_rows_begin(struct keel_mpi_rows *rows);

/* Keeps its figures for the report, before what they are made from goes. */
void keel_mpi_rows_keep_figures(const struct keel_mpi_rows *rows);

/* Frees one without arrays and items. Where something has gone wrong for good, nothing is freed.
 * Collective. */
void keel_mpi_rows_release(struct keel_mpi_rows *rows);

#endif
