/* What becomes of a bag that another one takes the place of. */
#ifndef MPI_BACKEND_OBJECTS_COPIES_RETIRE_H
#define MPI_BACKEND_OBJECTS_COPIES_RETIRE_H

#include "mpi_backend/objects/state.h"

/* Drops all objects that are here, with the messages that wait for them. Local. */
void keel_mpi_objects_drop_all(struct keel_mpi_objects *objects);

/* The bag is not used any more: every function returns KEEL_MPI_RANKS_LOST for it. What operations
 * on their way use stays: all of it but its objects. Local. */
void keel_mpi_objects_retire(struct keel_mpi_objects *objects);

#endif
