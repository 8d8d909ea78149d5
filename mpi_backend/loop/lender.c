/* Keel's interface for programs: sharing loops of OpenMP teams, and what came of it. */
#include "mpi_backend/loop/lender.h"

#include <dlfcn.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/results/gather.h"
#include "omp_ext/lending/lending.h"
#include "omp_ext/support/message.h"

/* --- the lender --- */

/* Which loop an offer is about. Threads may come to it long after the loop has gone, so offers
 * stay for a while. */
struct offer {
    struct keel_mpi_loop *loop;
    uint64_t number;
};
#define OFFERS 1024 /* more than libkeel.so keeps */
static struct offer offers[OFFERS];
static unsigned offered;

static void *join(void *loan, const struct keel_lending_thread *thread)
{
    const struct offer *offer = loan;

    return keel_mpi_worker_join(offer->loop, offer->number,
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

static const struct keel_lender lender = {.join = join, .next = next, .leave = leave};

static struct offer *next_offer(struct keel_mpi_loop *loop)
{
    struct offer *offer = &offers[++offered % OFFERS];

    *offer = (struct offer){loop, loop->number};
    return offer;
}

/* libkeel.so comes with the program, or by LD_PRELOAD; it may be there or not. */
static int offer(struct keel_mpi_loop *loop)
{
    bool (*offer_loop)(const struct keel_lender *, void *) =
        (bool (*)(const struct keel_lender *, void *))dlsym(RTLD_DEFAULT, "keel_lending_lend_next");

    if (offer_loop == NULL) {
        keel_message("libkeel.so is not in the process, so no loop can be shared among ranks "
                     "(`keel run`, or `keel libs --mpi` for linking); it runs whole on every rank");
        return KEEL_MPI_NO_KEEL;
    }
    if (!offer_loop(&lender, next_offer(loop))) {
        keel_message("a loop that was to be shared has not come yet; the next one is not shared");
        return KEEL_MPI_BUSY;
    }
    return KEEL_MPI_OK;
}

bool keel_mpi_lender_withdraw(struct keel_mpi_loop *loop)
{
    bool (*withdraw)(void *) = (bool (*)(void *))dlsym(RTLD_DEFAULT, "keel_lending_withdraw");

    for (unsigned i = 0; withdraw != NULL && i < OFFERS; i++) {
        if (offers[i].loop == loop && offers[i].number == loop->number) {
            return withdraw(&offers[i]);
        }
    }
    return false;
}

/* --- what is wrong with a call --- */

int keel_mpi_lender_check_call(void)
{
    int initialised, finalised = 0;

    if (!keel_mpi_check(NULL, MPI_Initialized(&initialised), "MPI_Initialized") ||
        (initialised && !keel_mpi_check(NULL, MPI_Finalized(&finalised), "MPI_Finalized"))) {
        keel_mpi_job_fail_all();
        return KEEL_MPI_ERROR;
    }
    if (!initialised || finalised) {
        keel_message("MPI is %s; nothing is shared among ranks",
                     initialised ? "finalised" : "not initialised");
        return KEEL_MPI_NOT_READY;
    }
    bool calls_mpi = keel_mpi_job_may_call_mpi();
    if (keel_mpi_check_is_broken()) {
        keel_mpi_job_fail_all();
        return KEEL_MPI_ERROR;
    }
    if (!calls_mpi) {
        keel_message("a thread that may not call MPI wants to share a loop among ranks; expected "
                     "the one that initialised it, or MPI_THREAD_SERIALIZED; nothing is shared");
        return KEEL_MPI_THREADS;
    }
    return KEEL_MPI_OK;
}

/* With MPI_THREAD_SINGLE a process must not have other threads at all. */
static bool has_threads_for_nothing(void)
{
    int (*omp_get_max_threads)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    int level;

    return keel_mpi_check(NULL, MPI_Query_thread(&level), "MPI_Query_thread") &&
           level == MPI_THREAD_SINGLE && omp_get_max_threads != NULL && omp_get_max_threads() > 1;
}

bool keel_mpi_lender_is_running(const struct keel_mpi_job *job)
{
    for (unsigned i = 0; i < KEEL_MPI_WINDOWS; i++) {
        if (job->running[i] != NULL && keel_mpi_loop_is_active(job->running[i])) {
            return true;
        }
    }
    return false;
}

/* Whether the loop that was offered last has not come. */
static bool is_awaited(const struct keel_mpi_job *job)
{
    return job->pending_loop != NULL && !keel_mpi_loop_is_open(job->pending_loop);
}

bool keel_mpi_lender_is_busy(const struct keel_mpi_job *job)
{
    return is_awaited(job) || keel_mpi_lender_is_running(job);
}

/* --- loops that could not be shared --- */

/* Why the loop that was to be shared last is not, where that was known at once, so that there is no
 * loop to ask; KEEL_MPI_OK: it is. */
static _Atomic int refused;
static MPI_Comm refused_comm; /* over which it was to be shared */

int keel_mpi_lender_refuse(MPI_Comm comm, int code)
{
    refused_comm = comm;
    atomic_store(&refused, code);
    return code;
}

/* --- sharing --- */

static int prepare(struct keel_mpi_loop *loop)
{
    if (has_threads_for_nothing()) {
        keel_message("MPI was initialised with MPI_THREAD_SINGLE, expected MPI_THREAD_FUNNELED or "
                     "more for teams of threads; the loop runs whole on every rank");
        return KEEL_MPI_THREADS;
    }
    return offer(loop);
}

static int share(MPI_Comm comm, bool waits)
{
    int code = keel_mpi_lender_check_call();
    struct keel_mpi_job *job =
        code == KEEL_MPI_OK ? keel_mpi_job_of(comm, "in keel_mpi_share()", &code) : NULL;

    if (job == NULL) {
        return keel_mpi_lender_refuse(comm, code);
    }
    if (keel_mpi_lender_is_busy(job)) {
        keel_message("a shared loop is running, or has not come yet; no other one is shared");
        return KEEL_MPI_BUSY;
    }
    keel_mpi_job_latest = job;
    keel_mpi_lender_refuse(comm, KEEL_MPI_OK);
    if (job->ranks == 1) {
        keel_mpi_loop_forget(job);
        return KEEL_MPI_OK;
    }
    struct keel_mpi_loop *loop = keel_mpi_loop_new(job, waits);
    if (loop == NULL) {
        keel_message("no memory to share a loop among ranks");
        return keel_mpi_lender_refuse(comm, KEEL_MPI_NO_ROOM);
    }
    if ((code = prepare(loop)) != KEEL_MPI_OK) {
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

KEEL_MPI_PUBLIC void keel_mpi_poll(void)
{
    struct keel_mpi_job *job = keel_mpi_job_latest;

    for (unsigned i = 0; job != NULL && i < KEEL_MPI_WINDOWS; i++) {
        if (job->running[i] != NULL && keel_mpi_loop_is_active(job->running[i])) {
            keel_mpi_progress_poll(job->running[i]);
        }
    }
}

/* --- results --- */

/* Waits for all loops of the job; the code of the last one. *missed: of one before. */
static int settle(struct keel_mpi_job *job, int *missed)
{
    if (is_awaited(job)) {
        keel_message("a loop was to be shared among ranks, but none has come since; expected a "
                     "loop with schedule(runtime) after keel_mpi_share()");
    }
    keel_mpi_loop_abandon(job);
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

int keel_mpi_lender_complete(struct keel_mpi_job *job)
{
    int missed;

    return settle(job, &missed);
}

/* The job of the last loop, ready for questions; NULL: *code tells why. */
static struct keel_mpi_job *latest_job(int *code)
{
    *code = keel_mpi_lender_check_call();
    if (*code == KEEL_MPI_OK) {
        *code = atomic_load(&refused);
    }
    if (*code != KEEL_MPI_OK) {
        return NULL;
    }
    if (keel_mpi_job_latest == NULL) {
        keel_message("no loop has been shared among ranks, or its communicator has been freed");
        *code = KEEL_MPI_NO_LOOP;
        return NULL;
    }
    if (keel_mpi_lender_is_running(keel_mpi_job_latest)) {
        keel_message("a shared loop is still running; its results can't be asked for");
        *code = KEEL_MPI_BUSY;
        return NULL;
    }
    *code = keel_mpi_lender_complete(keel_mpi_job_latest);
    return keel_mpi_job_latest;
}

struct keel_mpi_job *keel_mpi_lender_job(MPI_Comm comm, int *code)
{
    *code = keel_mpi_lender_check_call();
    if (*code == KEEL_MPI_OK && refused_comm == comm) {
        *code = atomic_load(&refused);
    }
    struct keel_mpi_job *job = *code == KEEL_MPI_OK ? keel_mpi_job_find(comm) : NULL;

    if (*code == KEEL_MPI_OK && job == NULL) {
        keel_message("no loop has been shared over this communicator");
        *code = KEEL_MPI_COMM;
    } else if (job != NULL && keel_mpi_lender_is_running(job)) {
        keel_message("a shared loop is still running; its results can't be asked for");
        *code = KEEL_MPI_BUSY;
        job = NULL;
    }
    return job;
}

KEEL_MPI_PUBLIC int keel_mpi_wait(MPI_Comm comm)
{
    int code, missed;
    struct keel_mpi_job *job = keel_mpi_lender_job(comm, &code);

    if (job != NULL) {
        code = settle(job, &missed);
        code = code != KEEL_MPI_OK ? code : missed;
    }
    return keel_mpi_error_return(code);
}

static int gather(void *buffer, size_t count, MPI_Datatype type, int root)
{
    int code;
    struct keel_mpi_job *job = latest_job(&code);

    if (job == NULL || code != KEEL_MPI_OK || job->latest == NULL) {
        return code; /* without a loop to show for it: a rank that is alone has all of it */
    }
    return keel_mpi_gather_ranges(&job->peers, job->latest->iterations, &job->latest->ranges,
                                  buffer, count, type, root);
}

KEEL_MPI_PUBLIC int keel_mpi_gather(void *buffer, size_t count, MPI_Datatype type, int root)
{
    return keel_mpi_error_return(gather(buffer, count, type, root));
}

KEEL_MPI_PUBLIC int keel_mpi_allgather(void *buffer, size_t count, MPI_Datatype type)
{
    return keel_mpi_error_return(gather(buffer, count, type, KEEL_MPI_GATHER_ALL));
}

KEEL_MPI_PUBLIC int keel_mpi_loop_last_rank(int *rank)
{
    int code;
    struct keel_mpi_job *job = latest_job(&code);

    if (job != NULL) {
        *rank = job->latest != NULL ? job->latest->last_rank : 0;
    }
    return keel_mpi_error_return(code);
}

/* Of the last loop; those that are still on their way do not count. */
static const struct keel_mpi_loop *latest_loop(void)
{
    return atomic_load(&refused) == KEEL_MPI_OK && keel_mpi_job_latest != NULL
               ? keel_mpi_job_latest->latest
               : NULL;
}

static int code_of(const struct keel_mpi_loop *loop)
{
    int code = atomic_load(&refused);

    return code != KEEL_MPI_OK ? code : loop != NULL ? loop->code : KEEL_MPI_NO_LOOP;
}

KEEL_MPI_PUBLIC int keel_mpi_loop_ranges(const struct keel_mpi_range **ranges, size_t *count)
{
    const struct keel_mpi_loop *loop = latest_loop();

    *ranges = loop != NULL ? loop->ranges.range : NULL;
    *count = loop != NULL ? loop->ranges.count : 0;
    return code_of(loop);
}

KEEL_MPI_PUBLIC int keel_mpi_loop_report(struct keel_mpi_loop_report *report)
{
    const struct keel_mpi_loop *loop = latest_loop();

    *report = loop != NULL ? loop->report : (struct keel_mpi_loop_report){0};
    return code_of(loop);
}
