/* keel_mpi_loop_begin(), as Fortran programs come to it, too. */
#ifndef MPI_BACKEND_LOOP_EXPLICIT_H
#define MPI_BACKEND_LOOP_EXPLICIT_H

#include <mpi.h>
#include <stdint.h>

struct keel_mpi_loop;

/* keel_mpi_loop_begin() for a loop that begins at `site`, an address in the program. */
int keel_mpi_explicit_begin(MPI_Comm comm, uint64_t iterations, unsigned flags, uintptr_t site,
                            struct keel_mpi_loop **loop);

#endif
