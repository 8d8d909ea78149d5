/* What the last loop of a communicator has come to: waiting for it, its data and its figures. */
#include "mpi_backend/loop/results.h"

#include "mpi_backend/include/exported.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/call_check.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/sized.h"
#include "mpi_backend/loop/job_loops.h"
#include "mpi_backend/loop/refusal.h"
#include "mpi_backend/loop/running.h"
#include "mpi_backend/loop/state/loop.h"
#include "mpi_backend/results/gather.h"
#include "omp_ext/support/message.h"

/* --- the job --- */

/* The job of a communicator that a loop was shared over; NULL: *code tells why there is none. */
static struct keel_mpi_job *find_job(MPI_Comm comm, int *code)
{
    *code = keel_mpi_call_check();
    if (*code == KEEL_MPI_OK) {
        *code = keel_mpi_refusal_of(comm);
    }
    struct keel_mpi_job *job = *code == KEEL_MPI_OK ? keel_mpi_job_find(comm) : NULL;

    if (*code == KEEL_MPI_OK && job == NULL) {
        keel_mpi_misuse("no loop has been shared over this communicator");
        *code = KEEL_MPI_NO_LOOP;
    }
    return job;
}

struct keel_mpi_job *keel_mpi_results_job(MPI_Comm comm, int *code)
{
    struct keel_mpi_job *job = find_job(comm, code);

    if (job != NULL && keel_mpi_running_any(job)) {
        keel_mpi_misuse("a shared loop is still running; its results can't be asked for");
        *code = KEEL_MPI_BUSY;
        job = NULL;
    }
    return job;
}

/* --- waiting --- */

/* Waits for all loops of the job; the code of the last one. *missed: of one before. */
static int settle(struct keel_mpi_job *job, int *missed)
{
    keel_mpi_loop_abandon(job, KEEL_MPI_LOOP_MISSING);
    keel_mpi_loop_complete_all(job);
    *missed = job->failed;
    job->failed = KEEL_MPI_OK;
    if (keel_mpi_job_code(job) != KEEL_MPI_OK) {
        return keel_mpi_job_code(job);
    }
    if (job->latest == NULL) {
        return job->ranks == 1 ? KEEL_MPI_OK : KEEL_MPI_NO_LOOP;
    }
    return job->latest->code;
}

int keel_mpi_results_complete(struct keel_mpi_job *job)
{
    int missed;

    return settle(job, &missed);
}

KEEL_MPI_PUBLIC int keel_mpi_wait(MPI_Comm comm)
{
    int code, missed;
    struct keel_mpi_job *job = keel_mpi_results_job(comm, &code);

    if (job != NULL) {
        code = settle(job, &missed);
        code = code != KEEL_MPI_OK ? code : missed;
    }
    return keel_mpi_error_return(code);
}

/* --- data --- */

static int gather(void *buffer, size_t count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int code;
    struct keel_mpi_job *job = keel_mpi_results_job(comm, &code);

    if (job == NULL || (code = keel_mpi_results_complete(job)) != KEEL_MPI_OK ||
        job->latest == NULL) {
        return code; /* without a loop to show for it: a rank that is alone has all of it */
    }
    job->peers.call = root == KEEL_MPI_GATHER_ALL ? "keel_mpi_allgather()" : "keel_mpi_gather()";
    code = keel_mpi_gather_ranges(&job->peers, job->latest->iterations, &job->latest->ranges,
                                  buffer, count, type, root);
    job->peers.call = NULL;
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_gather(void *buffer, size_t count, MPI_Datatype type, int root,
                                    MPI_Comm comm)
{
    return keel_mpi_error_return(gather(buffer, count, type, root, comm));
}

KEEL_MPI_PUBLIC int keel_mpi_allgather(void *buffer, size_t count, MPI_Datatype type, MPI_Comm comm)
{
    return keel_mpi_error_return(gather(buffer, count, type, KEEL_MPI_GATHER_ALL, comm));
}

/* --- who ran what --- */

KEEL_MPI_PUBLIC int keel_mpi_loop_last_rank(MPI_Comm comm, int *rank)
{
    int code;
    struct keel_mpi_job *job = keel_mpi_results_job(comm, &code);

    if (job != NULL) {
        code = keel_mpi_results_complete(job);
        *rank = job->latest != NULL ? job->latest->last_rank : code == KEEL_MPI_OK ? 0 : -1;
    }
    return keel_mpi_error_return(code);
}

/* The last loop, NULL: there is none; those that are still on their way do not count. *code: what
 * has become of it. */
static const struct keel_mpi_loop *latest_loop(MPI_Comm comm, int *code)
{
    const struct keel_mpi_job *job = find_job(comm, code);
    const struct keel_mpi_loop *loop = job != NULL ? job->latest : NULL;

    if (job != NULL) {
        *code = loop != NULL ? loop->code : KEEL_MPI_NO_LOOP;
    }
    return loop;
}

KEEL_MPI_PUBLIC int keel_mpi_loop_ranges(MPI_Comm comm, const struct keel_mpi_range **ranges,
                                         size_t *count)
{
    int code;
    const struct keel_mpi_loop *loop = latest_loop(comm, &code);

    *ranges = loop != NULL ? loop->ranges.range : NULL;
    *count = loop != NULL ? loop->ranges.count : 0;
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_loop_report(MPI_Comm comm, struct keel_mpi_loop_report *report)
{
    static const struct keel_mpi_loop_report none;
    int code;

    if (!keel_mpi_sized_check(report, sizeof report->struct_size, "keel_mpi_loop_report")) {
        return KEEL_MPI_ARGUMENT;
    }
    const struct keel_mpi_loop *loop = latest_loop(comm, &code);
    keel_mpi_sized_give(report, loop != NULL ? &loop->report : &none, sizeof none);
    return code;
}
