/* Works on ready objects: computes them, and handles their messages. */
#ifndef MPI_BACKEND_OBJECTS_RUN_H
#define MPI_BACKEND_OBJECTS_RUN_H

#include "mpi_backend/objects/state.h"

/* Works on objects until none is ready, and on messages that have come back; a team does, where
 * objects->threads > 1. Without the lock. */
void keel_mpi_run_ready(struct keel_mpi_objects *objects);

#endif
