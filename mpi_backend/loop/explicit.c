/* Shared loops of programs without OpenMP: the process itself takes the chunks. */
#include "mpi_backend/loop/shared_loop.h"

#include "mpi_backend/include/exported.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/support/message.h"

/* For loops that can't be shared: the program's rank gets all iterations at once. */
static struct keel_mpi_loop whole;
static struct keel_mpi_worker whole_worker;

static int run_whole(uint64_t iterations, struct keel_mpi_loop **loop, int code)
{
    whole = (struct keel_mpi_loop){.iterations = iterations, .code = code};
    whole_worker = (struct keel_mpi_worker){.loop = &whole};
    whole.worker = &whole_worker;
    *loop = &whole;
    return code;
}

static int next_whole(uint64_t *first, uint64_t *last)
{
    *first = 0;
    *last = whole.iterations;
    bool more = !whole_worker.finished && whole.iterations > 0;
    whole_worker.finished = true;
    return more;
}

int keel_mpi_explicit_begin(MPI_Comm comm, uint64_t iterations, unsigned flags, uintptr_t site,
                            struct keel_mpi_loop **loop)
{
    int code = keel_mpi_call_check();
    struct keel_mpi_job *job =
        code == KEEL_MPI_OK ? keel_mpi_job_of(comm, "in keel_mpi_loop_begin()", &code) : NULL;

    if (job == NULL) {
        return run_whole(iterations, loop, keel_mpi_refusal_note(comm, code));
    }
    if (keel_mpi_running_busy(job)) {
        keel_mpi_misuse("a shared loop is running, or has not come yet; another one runs whole on "
                        "every rank");
        return run_whole(iterations, loop, KEEL_MPI_BUSY);
    }
    struct keel_mpi_loop *made = keel_mpi_loop_new(job, !(flags & KEEL_MPI_NOWAIT));
    if (made == NULL) {
        keel_message("no memory to share a loop among ranks; it runs whole on every rank");
        return run_whole(iterations, loop, keel_mpi_refusal_note(comm, KEEL_MPI_NO_ROOM));
    }
    keel_mpi_refusal_note(comm, KEEL_MPI_OK);
    keel_mpi_job_latest = job;
    *loop = made;
    keel_mpi_worker_join(made, made->number,
                         &(struct keel_mpi_worker_start){
                             .iterations = iterations,
                             .grain = 1,
                             .threads = 1,
                             .site = site,
                             .caller = (const void *)site,
                             .whole = true,
                         });
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC int keel_mpi_loop_begin(MPI_Comm comm, uint64_t iterations, unsigned flags,
                                        struct keel_mpi_loop **loop)
{
    return keel_mpi_error_return(keel_mpi_explicit_begin(
        comm, iterations, flags, (uintptr_t)__builtin_return_address(0), loop));
}

KEEL_MPI_PUBLIC int keel_mpi_loop_next(struct keel_mpi_loop *loop, uint64_t *first, uint64_t *last)
{
    return loop == &whole ? next_whole(first, last)
                          : keel_mpi_worker_next(&loop->worker[0], first, last);
}

KEEL_MPI_PUBLIC int keel_mpi_loop_end(struct keel_mpi_loop **loop)
{
    struct keel_mpi_loop *ended = *loop;

    *loop = NULL;
    if (ended == &whole) {
        return keel_mpi_error_return(whole.code);
    }
    if (!ended->worker[0].finished) {
        keel_mpi_worker_leave(&ended->worker[0], false);
    }
    if (!ended->left) {
        keel_mpi_loop_complete_all(ended->job); /* it was cancelled */
    }
    if (ended == ended->job->latest && ended->job->failed == ended->code) {
        ended->job->failed = KEEL_MPI_OK; /* the program knows */
    }
    return keel_mpi_error_return(ended->code);
}
