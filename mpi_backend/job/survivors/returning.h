/* Ranks that others have left out (fence.h), and that come back: keel_mpi_let_in(), and its other
 * side, which waits in keel_mpi_survivors().
 *
 *   left out rank                         those that have gone on without it, in keel_mpi_let_in()
 *   CAME, to all          ->              their first rank: is it out of our communicator?
 *   lifts its fence       <- INVITED      yes: it was agreed on, so that no one takes it for lost
 *   READY                 ->              the next call: all of them learn of it
 *   makes a communicator  <- LET_IN       as all of them do
 *
 * Nobody waits for a rank that is out: it may be stopped again at any time. Over the communicator
 * of Keel's that connected all of these ranks at first (their origin). Returns are numbered, so
 * that what is left of one is not taken for the next. */
#ifndef MPI_BACKEND_JOB_SURVIVORS_RETURNING_H
#define MPI_BACKEND_JOB_SURVIVORS_RETURNING_H

#include "mpi_backend/job/survivors/connected.h"

/* The ranks that those of `comm` were among at first; `connected`, if it is no communicator of
 * survivors. */
struct keel_mpi_connected *keel_mpi_origin_of(MPI_Comm comm, struct keel_mpi_connected *connected);

/* That of `survivors`, which were made of them. KEEL_MPI_OK, KEEL_MPI_NO_ROOM or KEEL_MPI_ERROR. */
int keel_mpi_origin_note(MPI_Comm survivors, struct keel_mpi_connected *origin);

/* This rank has been left out: waits until the others let it in. KEEL_MPI_OK: *all is of them and
 * of this rank. KEEL_MPI_LATE: all of them have ended. */
int keel_mpi_return(MPI_Comm comm, struct keel_mpi_connected *connected, MPI_Comm *all);

#endif
