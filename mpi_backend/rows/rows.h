/* Questions about distributed rows: which are here, which array is meant.
 *
 *   placement, arrays -> [rows] -> bounds, list, owner, report (public); what others here ask */
#ifndef MPI_BACKEND_ROWS_ROWS_H
#define MPI_BACKEND_ROWS_ROWS_H

#include "mpi_backend/results/range_list.h"
#include "mpi_backend/rows/state.h"

/* The array that begins there; NULL: none does, which has been said. */
struct keel_mpi_array *keel_mpi_rows_find_array(const struct keel_mpi_rows *rows, const void *base);

/* The own rows as ranges. False: no memory for some. */
bool keel_mpi_rows_own_ranges(const struct keel_mpi_rows *rows, struct keel_mpi_range_list *own);

/* To be called when the placement has changed: forgets the list of own rows, adds up their work. */
void keel_mpi_rows_update(struct keel_mpi_rows *rows);

#endif
