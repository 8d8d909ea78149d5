/* The channel lock of a job. */
#include "mpi_backend/job/job_lock.h"

void keel_mpi_job_lock(struct keel_mpi_job *job)
{
    for (unsigned backoff = 0; !keel_mpi_job_try_lock(job); backoff++) {
        keel_mpi_channel_wait(&job->channel, NULL, backoff, false);
    }
}
