/* Which loops of a job are on their way on this rank, and keel_mpi_poll() from within them. */
#include "mpi_backend/loop/running.h"

#include "mpi_backend/include/exported.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/loop/progress/progress.h"
#include "mpi_backend/loop/state/loop.h"
#include "mpi_backend/objects/progress.h"

bool keel_mpi_running_awaits(const struct keel_mpi_job *job)
{
    return job->pending_loop != NULL && !keel_mpi_loop_is_open(job->pending_loop);
}

static bool is_active(const struct keel_mpi_job *job, unsigned i)
{
    return job->running[i] != NULL && keel_mpi_loop_is_active(job->running[i]);
}

bool keel_mpi_running_any(const struct keel_mpi_job *job)
{
    for (unsigned i = 0; i < KEEL_MPI_WINDOWS; i++) {
        if (is_active(job, i)) {
            return true;
        }
    }
    return false;
}

bool keel_mpi_running_busy(const struct keel_mpi_job *job)
{
    return keel_mpi_running_awaits(job) || keel_mpi_running_any(job);
}

KEEL_MPI_PUBLIC void keel_mpi_poll(void)
{
    struct keel_mpi_job *job = keel_mpi_job_latest;

    for (unsigned i = 0; job != NULL && i < KEEL_MPI_WINDOWS; i++) {
        if (is_active(job, i)) {
            keel_mpi_progress_poll(job->running[i]);
        }
    }
    keel_mpi_objects_poll_all();
}
