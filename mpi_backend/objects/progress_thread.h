/* A thread that answers other ranks while objects take long to work on.
 *
 * Only where KEEL_MPI_PROGRESS asks for it and MPI was initialised with MPI_THREAD_MULTIPLE: it
 * calls MPI beside the program. It sleeps, and answers only when no other thread has for a
 * while: half of KEEL_MPI_POLL, if that is stated, else for a quantum that follows from what its
 * looks take, how long the phase has lasted and how many have asked
 * (schedules/objects/looking.h). */
#ifndef MPI_BACKEND_OBJECTS_PROGRESS_THREAD_H
#define MPI_BACKEND_OBJECTS_PROGRESS_THREAD_H

#include "mpi_backend/objects/state.h"

/* Starts it, if it is wanted and possible, and not there already. The bag is shared then. */
void keel_mpi_objects_thread_start(struct keel_mpi_objects *objects);

/* Ends it, if there is one. */
void keel_mpi_objects_thread_stop(struct keel_mpi_objects *objects);

#endif
