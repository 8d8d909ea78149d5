/* The halo of an array: the rows around own ones, which other ranks have. */
#ifndef MPI_BACKEND_ROWS_HALO_HALO_H
#define MPI_BACKEND_ROWS_HALO_HALO_H

#include "mpi_backend/rows/rows_state.h"

/* Makes the plan of `array` for `placement`, and memory for the own rows and halo that it has
 * there; the present plan stays until keel_mpi_halo_take(). False: no memory, or MPI has failed. */
bool keel_mpi_halo_prepare(struct keel_mpi_rows *rows, struct keel_mpi_array *array,
                           const struct keel_mpi_placement *placement);

/* The plan that was prepared last counts from now on. */
void keel_mpi_halo_take(struct keel_mpi_array *array);

/* Gives memory of rows back that are not here. */
void keel_mpi_halo_trim(struct keel_mpi_array *array);

/* Frees the plans of an array; an exchange that is pending is completed first. */
void keel_mpi_halo_free(struct keel_mpi_peers *peers, struct keel_mpi_array *array);

#endif
