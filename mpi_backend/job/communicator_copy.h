/* A copy of the program's communicator.
 *
 *   all ranks come -> MPI_Comm_idup -> the copy
 *       |
 *   KEEL_MPI_DEADLINE passes -> which ranks have come? -> a message -> wait on, or KEEL_MPI_LATE
 *
 * Nothing else of Keel's runs on the program's communicator. Both operations are non-blocking ones,
 * so that they are never matched with operations of the program there. */
#ifndef MPI_BACKEND_JOB_COMMUNICATOR_COPY_H
#define MPI_BACKEND_JOB_COMMUNICATOR_COPY_H

#include <mpi.h>

#include "mpi_backend/job/peers.h"

/* A copy of the program's communicator, on which nothing of Keel's runs afterwards.
 * KEEL_MPI_OK; KEEL_MPI_LATE, KEEL_MPI_ERROR: there is none, and will be none. where: the function
 * that the program has called. Collective. */
int keel_mpi_communicator_copy(MPI_Comm comm, const char *where, MPI_Comm *copy);

/* The same of a communicator of Keel's own, whose ranks know each other: once they have agreed that
 * all of them call this, as no rank gives it up alone. One that gave up before has told the others,
 * and they get its code. */
int keel_mpi_communicator_copy_own(struct keel_mpi_peers *peers, const char *where, MPI_Comm *copy);

/* The function is called as MPI_Finalize() begins; those that came last are called first. False: a
 * call of MPI has failed. */
bool keel_mpi_at_finalize(void (*function)(void));

/* No copy of that communicator is made any more: keel_mpi_communicator_copy() returns the code. */
void keel_mpi_communicator_give_up(MPI_Comm comm, int code);

#endif
