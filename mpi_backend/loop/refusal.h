/* Loops that were to be shared and are not, where that was known at once: there is no loop to ask
 * then. */
#ifndef MPI_BACKEND_LOOP_REFUSAL_H
#define MPI_BACKEND_LOOP_REFUSAL_H

#include <mpi.h>

/* Notes that the last loop of a communicator is not shared, as `code` says, so that calls about it
 * return that; KEEL_MPI_OK: it is. Returns `code`. Any thread. */
int keel_mpi_refusal_note(MPI_Comm comm, int code);

/* Why the last loop of the communicator is not shared; KEEL_MPI_OK: nothing was noted. Any
 * thread. */
int keel_mpi_refusal_of(MPI_Comm comm);

#endif
