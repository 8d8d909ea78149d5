/* The progress thread. */
#include "mpi_backend/loop/progress/progress_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/job_lock.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/loop/progress/progress.h"

/* One per job. */
struct keel_mpi_progress_thread {
    pthread_t thread;
    struct keel_mpi_job *job;
    _Atomic(struct keel_mpi_loop *) loop; /* that it serves; NULL: none */
    atomic_bool stops;
};

#define SHORTEST_NS 50e3 /* a sleep takes this long anyway */
#define IDLE_NS 10e6     /* while no loop needs it */

static void nap(double time_ns)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)time_ns}, NULL);
}

/* The loop is looked up anew under the channel lock: keel_mpi_progress_thread_release() waits
 * for that. */
static void look_after(struct keel_mpi_progress_thread *progress)
{
    if (!keel_mpi_job_try_lock(progress->job)) {
        return;
    }
    struct keel_mpi_loop *loop = atomic_load(&progress->loop);
    if (loop != NULL) {
        keel_mpi_progress_locked(loop);
    }
    keel_mpi_job_unlock(progress->job);
}

/* Sleeps until half of the time in which answers are due has passed since the engine last ran; runs
 * it then. */
static void *run(void *argument)
{
    struct keel_mpi_progress_thread *progress = argument;

    while (!atomic_load(&progress->stops)) {
        struct keel_mpi_loop *loop = atomic_load(&progress->loop);
        if (loop == NULL) {
            nap(IDLE_NS);
            continue;
        }
        double due_ns = atomic_load(&loop->progress_ns) + loop->poll_ns / 2;
        double left_ns = due_ns - keel_mpi_clock_ns();
        if (left_ns <= 0) {
            look_after(progress);
            left_ns = loop->poll_ns / 2;
        }
        nap(left_ns > SHORTEST_NS ? (left_ns < IDLE_NS ? left_ns : IDLE_NS) : SHORTEST_NS);
    }
    return NULL;
}

static bool may_run(void)
{
    static bool told;
    int level;

    if (!keel_mpi_settings()->progress) {
        return false;
    }
    if (!keel_mpi_check(NULL, MPI_Query_thread(&level), "MPI_Query_thread")) {
        return false;
    }
    if (level < MPI_THREAD_MULTIPLE && !told) {
        told = true;
        keel_mpi_misuse("KEEL_MPI_PROGRESS: a thread that answers for this rank needs "
                        "MPI_THREAD_MULTIPLE; messages are answered between chunks only");
    }
    return level == MPI_THREAD_MULTIPLE;
}

static struct keel_mpi_progress_thread *start(struct keel_mpi_job *job)
{
    struct keel_mpi_progress_thread *progress = calloc(1, sizeof *progress);

    if (progress != NULL) {
        progress->job = job;
        if (pthread_create(&progress->thread, NULL, run, progress) != 0) {
            free(progress);
            progress = NULL;
        }
    }
    return progress;
}

void keel_mpi_progress_thread_serve(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;

    if (!may_run() || job->nodes == 1) {
        return;
    }
    if (job->progress == NULL) {
        job->progress = start(job);
    }
    if (job->progress != NULL) {
        atomic_store(&job->progress->loop, loop);
    }
}

void keel_mpi_progress_thread_release(struct keel_mpi_loop *loop)
{
    struct keel_mpi_progress_thread *progress = loop->job->progress;

    if (progress != NULL && atomic_load(&progress->loop) == loop) {
        keel_mpi_job_lock(loop->job);
        atomic_store(&progress->loop, NULL);
        keel_mpi_job_unlock(loop->job);
    }
}

void keel_mpi_progress_thread_stop(struct keel_mpi_job *job)
{
    if (job->progress != NULL) {
        atomic_store(&job->progress->stops, true);
        pthread_join(job->progress->thread, NULL);
        free(job->progress);
        job->progress = NULL;
    }
}
