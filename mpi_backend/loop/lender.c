/* keel_mpi_share(): loops of OpenMP teams as shared loops. The lender of libkeel.so
 * (omp_ext/lending/lending.h): each thread of a team is a worker of the shared loop.
 *
 *   keel_mpi_share() -> [lender] -> loan -> libkeel.so -> [lender] -> keel_mpi_worker_...() */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/call_check.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/libkeel.h"
#include "mpi_backend/loop/job_loops.h"
#include "mpi_backend/loop/loan.h"
#include "mpi_backend/loop/progress/progress.h"
#include "mpi_backend/loop/refusal.h"
#include "mpi_backend/loop/running.h"
#include "mpi_backend/loop/worker.h"
#include "omp_ext/lending/lending.h"
#include "omp_ext/support/message.h"

static void *join(void *context, const struct keel_lending_thread *thread)
{
    const struct keel_mpi_loan *loan = context;

    return keel_mpi_worker_join(loan->loop, loan->number,
                                &(struct keel_mpi_worker_start){.iterations = thread->iterations,
                                                                .grain = thread->grain,
                                                                .threads = thread->threads,
                                                                .thread = thread->thread,
                                                                .local = thread->spec,
                                                                .site = thread->site,
                                                                .caller = thread->caller,
                                                                .outlined = thread->outlined});
}

static bool next(void *worker, uint64_t *first, uint64_t *last)
{
    return keel_mpi_worker_next(worker, first, last);
}

static void leave(void *worker, bool finished)
{
    keel_mpi_worker_leave(worker, finished);
}

/* An ordered loop has come: for a message. */
static void pass(void *context, const void *caller)
{
    const struct keel_mpi_loan *loan = context;

    if (loan->loop->number == loan->number) {
        loan->loop->passed = caller;
    }
}

static const struct keel_lender lender = {
    .join = join, .next = next, .leave = leave, .passed = pass};

/* The loop of a rank without others has come; it is not shared. */
static void *note(void *context, const struct keel_lending_thread *thread)
{
    const struct keel_mpi_loan *loan = context;

    if (loan->loop->number == loan->number) {
        keel_mpi_loop_come_alone(loan->loop, thread->iterations);
    }
    return NULL;
}

static const struct keel_lender onlooker = {.join = note, .passed = pass};

/* With MPI_THREAD_SINGLE a process must not have other threads at all. */
static bool has_threads_for_nothing(void)
{
    int (*omp_get_max_threads)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    int level;

    return keel_mpi_check(NULL, MPI_Query_thread(&level), "MPI_Query_thread") &&
           level == MPI_THREAD_SINGLE && omp_get_max_threads != NULL && omp_get_max_threads() > 1;
}

static int lend(struct keel_mpi_loop *loop)
{
    if (has_threads_for_nothing()) {
        keel_mpi_misuse(
            "MPI was initialised with MPI_THREAD_SINGLE, expected MPI_THREAD_FUNNELED or "
            "more for teams of threads; the loop runs whole on every rank");
        return KEEL_MPI_THREADS;
    }
    return keel_mpi_loan_make(&lender, loop);
}

/* A rank without others runs its loop as if it were not shared; what it was is known afterwards
 * where libkeel.so sees it. */
static int share_alone(struct keel_mpi_job *job)
{
    struct keel_mpi_loop *loop = keel_mpi_loop_new_alone(job);

    if (loop == NULL || keel_mpi_libkeel() == NULL) {
        keel_mpi_loop_forget(job);
        return KEEL_MPI_OK;
    }
    loop->withdraw = keel_mpi_loan_withdraw;
    int code = keel_mpi_loan_make(&onlooker, loop);
    loop->code = code != KEEL_MPI_OK ? code : loop->code;
    return code;
}

static int share(MPI_Comm comm, bool waits)
{
    int code = keel_mpi_call_check();
    struct keel_mpi_job *job =
        code == KEEL_MPI_OK ? keel_mpi_job_of(comm, "in keel_mpi_share()", &code) : NULL;

    if (job == NULL) {
        return keel_mpi_refusal_note(comm, code);
    }
    if (keel_mpi_running_busy(job)) {
        keel_mpi_misuse("a shared loop is running, or has not come yet; no other one is shared");
        return KEEL_MPI_BUSY;
    }
    keel_mpi_job_latest = job;
    keel_mpi_refusal_note(comm, KEEL_MPI_OK);
    if (job->ranks == 1 && job->next_rest == NULL) {
        return share_alone(job);
    }
    struct keel_mpi_loop *loop = keel_mpi_loop_new(job, waits);
    if (loop == NULL) {
        keel_message("no memory to share a loop among ranks");
        return keel_mpi_refusal_note(comm, KEEL_MPI_NO_ROOM);
    }
    loop->withdraw = keel_mpi_loan_withdraw;
    if ((code = lend(loop)) != KEEL_MPI_OK) {
        loop->code = code;
        keel_mpi_loop_forfeit(loop);
        return code;
    }
    job->pending_loop = loop;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC int keel_mpi_share(MPI_Comm comm)
{
    return keel_mpi_error_return(share(comm, true));
}

KEEL_MPI_PUBLIC int keel_mpi_share_nowait(MPI_Comm comm)
{
    return keel_mpi_error_return(share(comm, false));
}
