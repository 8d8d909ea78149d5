/* The progress thread: runs the progress engine for ranks whose iterations are long.
 *
 * Only where KEEL_MPI_PROGRESS asks for it and MPI was initialised with MPI_THREAD_MULTIPLE: it
 * calls MPI beside the program. It sleeps, and runs the
 * engine only when no worker has for a while. */
#ifndef MPI_BACKEND_LOOP_PROGRESS_PROGRESS_THREAD_H
#define MPI_BACKEND_LOOP_PROGRESS_PROGRESS_THREAD_H

#include "mpi_backend/loop/state/loop.h"

/* The thread serves that loop from now on, until keel_mpi_progress_thread_release(). By the
 * leader. */
void keel_mpi_progress_thread_serve(struct keel_mpi_loop *loop);

/* The loop does not need the thread any more. Takes the channel lock. */
void keel_mpi_progress_thread_release(struct keel_mpi_loop *loop);

/* Ends the job's thread, if it has one. */
void keel_mpi_progress_thread_stop(struct keel_mpi_job *job);

#endif
