/* Objects that move by chance, for tests of programs (KEEL_MPI_BALANCE=shake).
 *
 * Called under the bag's lock, in phases. */
#ifndef MPI_BACKEND_OBJECTS_SHAKE_H
#define MPI_BACKEND_OBJECTS_SHAKE_H

#include "mpi_backend/objects/state.h"

/* Under that policy: an object may go, after another one was worked on. */
void keel_mpi_shake(struct keel_mpi_objects *objects);

#endif
