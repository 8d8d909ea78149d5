/* The channel lock of a job: the thread that holds it is the only one that calls MPI for Keel. It
 * guards the channel, collective operations on Keel's communicator, and every field of loops that
 * says so.
 *
 * Threads of one process, never ranks; not recursive. */
#ifndef MPI_BACKEND_JOB_JOB_LOCK_H
#define MPI_BACKEND_JOB_JOB_LOCK_H

#include "mpi_backend/job/job.h"

/* Takes the lock unless another thread has it; waits for nothing. */
static inline bool keel_mpi_job_try_lock(struct keel_mpi_job *job)
{
    /* acquire: pairs with the release in keel_mpi_job_unlock() */
    return !atomic_flag_test_and_set_explicit(&job->channel_lock, memory_order_acquire);
}

static inline void keel_mpi_job_unlock(struct keel_mpi_job *job)
{
    /* release: the next holder sees all that was written under the lock */
    atomic_flag_clear_explicit(&job->channel_lock, memory_order_release);
}

/* Takes the lock; waits until it is free. */
void keel_mpi_job_lock(struct keel_mpi_job *job);

#endif
