/* keel_mpi_share(): loops of OpenMP teams as shared loops. As a lender to libkeel.so
 * (omp_ext/lending/lending.h), it makes each thread of a team a worker of the shared loop.
 *
 *   keel_mpi_share() -> [lender] -> loan -> libkeel.so -> [lender] -> keel_mpi_worker_...() */
#define _GNU_SOURCE
#include "mpi_backend/loop/shared_loop.h"

#include <dlfcn.h>
#include <stddef.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/loop/state/loop_state.h"
#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/lending/lending.h"
#include "omp_ext/support/message.h"

/* --- which loop a thread joins --- */

/* The context of a lender's join(). A thread may join after the loop has ended, or its communicator
 * has been freed, so the last 1024 loans are kept, and their loops: the loop's number shows whether
 * it is still the same. */
struct keel_mpi_loan {
    struct keel_mpi_loop *loop;
    uint64_t number;
};

#define LOANS 1024 /* more than libkeel.so keeps */
static struct keel_mpi_loan loans[LOANS];
static unsigned made; /* so far */

static struct keel_mpi_loan *new_loan(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loan *loan = &loans[++made % LOANS];

    keel_mpi_loop_drop(loan->loop);
    loop->loans++;
    *loan = (struct keel_mpi_loan){loop, loop->number};
    return loan;
}

/* Prints why keel_mpi_libkeel() is NULL. */
static void complain(void)
{
    if (!keel_mpi_libkeel_is_there()) {
        keel_mpi_misuse(
            "libkeel.so is not in the process, so no loop can be shared among ranks "
            "(`keel run`, or `keel libs --mpi` for linking); it runs whole on every rank");
        return;
    }
    keel_mpi_misuse(
        "libkeel.so and libkeel_mpi.so are not of one release (libkeel.so lends loops by "
        "version %u, expected %u), so no loop can be shared among ranks; it runs whole on "
        "every rank",
        keel_mpi_libkeel_version(), KEEL_LENDING_VERSION);
}

/* Lends the loop to the next loop that a team of this process starts. Returns KEEL_MPI_OK, or after
 * a message KEEL_MPI_NO_KEEL or KEEL_MPI_BUSY. By a thread that may call MPI. */
static int make_loan(const struct keel_lender *lender, struct keel_mpi_loop *loop)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    if (libkeel == NULL) {
        complain();
        return KEEL_MPI_NO_KEEL;
    }
    if (!libkeel->lend_next(lender, new_loan(loop))) {
        keel_mpi_misuse(
            "a loop that was to be shared has not come yet; the next one is not shared");
        return KEEL_MPI_BUSY;
    }
    return KEEL_MPI_OK;
}

static bool withdraw(struct keel_mpi_loop *loop)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    for (unsigned i = 0; libkeel != NULL && i < LOANS; i++) {
        if (loans[i].loop == loop && loans[i].number == loop->number &&
            libkeel->withdraw(&loans[i])) {
            return true;
        }
    }
    return false;
}

/* --- lending --- */

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

/* An ordered loop has started: for a message. */
static void pass(void *context, const void *caller)
{
    const struct keel_mpi_loan *loan = context;

    if (loan->loop->number == loan->number) {
        loan->loop->passed = caller;
    }
}

static const struct keel_lender lender = {
    .join = join, .next = next, .leave = leave, .passed = pass};

/* The loop of a rank without others has started; it is not shared. */
static void *note(void *context, const struct keel_lending_thread *thread)
{
    const struct keel_mpi_loan *loan = context;

    if (loan->loop->number == loan->number) {
        keel_mpi_loop_come_alone(loan->loop, thread->iterations);
    }
    return NULL;
}

static const struct keel_lender onlooker = {.join = note, .passed = pass};

/* With MPI_THREAD_SINGLE a process must not have other threads. */
static bool violates_thread_single(void)
{
    int (*omp_get_max_threads)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    int level;

    return KEEL_MPI_CALL(NULL, MPI_Query_thread, &level) && level == MPI_THREAD_SINGLE &&
           omp_get_max_threads != NULL && omp_get_max_threads() > 1;
}

static int lend(struct keel_mpi_loop *loop)
{
    if (violates_thread_single()) {
        keel_mpi_misuse(
            "MPI was initialised with MPI_THREAD_SINGLE, expected MPI_THREAD_FUNNELED or "
            "more for teams of threads; the loop runs whole on every rank");
        return KEEL_MPI_THREADS;
    }
    return make_loan(&lender, loop);
}

/* A rank without others runs its loop as if it were not shared; with libkeel.so, the loop is
 * recorded for results. */
static int share_alone(struct keel_mpi_job *job)
{
    struct keel_mpi_loop *loop = keel_mpi_loop_new_alone(job);

    if (loop == NULL || keel_mpi_libkeel() == NULL) {
        keel_mpi_loop_forget(job);
        return KEEL_MPI_OK;
    }
    loop->withdraw = withdraw;
    int code = make_loan(&onlooker, loop);
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
    loop->withdraw = withdraw;
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

/* --- loops without OpenMP --- */

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

static bool is_missing(const struct keel_mpi_loop *loop)
{
    if (loop == NULL) {
        keel_mpi_misuse("a loop is NULL, expected one from keel_mpi_loop_begin(); nothing is done");
    }
    return loop == NULL;
}

KEEL_MPI_PUBLIC int keel_mpi_loop_next(struct keel_mpi_loop *loop, uint64_t *first, uint64_t *last)
{
    if (is_missing(loop)) {
        return 0;
    }
    return loop == &whole ? next_whole(first, last)
                          : keel_mpi_worker_next(&loop->worker[0], first, last);
}

KEEL_MPI_PUBLIC int keel_mpi_loop_end(struct keel_mpi_loop **loop)
{
    struct keel_mpi_loop *ended = *loop;

    if (is_missing(ended)) {
        return keel_mpi_error_return(KEEL_MPI_ARGUMENT);
    }
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
        ended->job->failed = KEEL_MPI_OK; /* the program knows it now */
    }
    return keel_mpi_error_return(ended->code);
}
