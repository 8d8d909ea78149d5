/* A thread that answers other ranks. */
#include "mpi_backend/objects/progress_thread.h"

#include <stdlib.h>
#include <time.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/objects/progress.h"
#include "omp_ext/support/message.h"

struct keel_mpi_objects_thread {
    pthread_t thread;
    struct keel_mpi_objects *objects;
    atomic_bool stops;
};

/* Others have answered lately: there is nothing to do for that long. */
static void nap(double time_s)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(time_s * 1e9)}, NULL);
}

static void *run(void *argument)
{
    struct keel_mpi_objects_thread *thread = argument;
    struct keel_mpi_objects *objects = thread->objects;

    while (!atomic_load(&thread->stops)) {
        double now_s = keel_mpi_clock_s();
        if (now_s - atomic_load_explicit(&objects->progress_s, memory_order_relaxed) >=
                objects->poll_s / 2 &&
            keel_mpi_objects_try_lock(objects)) {
            if (objects->kind != KEEL_MPI_PHASE_NONE) {
                keel_mpi_objects_progress(objects, now_s);
            }
            keel_mpi_objects_unlock(objects);
        }
        nap(objects->poll_s / 2);
    }
    return NULL;
}

static bool may_run(void)
{
    static bool told;
    int level;

    if (!keel_mpi_settings()->progress ||
        !keel_mpi_check(NULL, MPI_Query_thread(&level), "MPI_Query_thread")) {
        return false;
    }
    if (level < MPI_THREAD_MULTIPLE && !told) {
        told = true;
        keel_message("KEEL_MPI_PROGRESS: a thread that answers for this rank needs "
                     "MPI_THREAD_MULTIPLE; others are answered between objects only");
    }
    return level == MPI_THREAD_MULTIPLE;
}

void keel_mpi_objects_thread_start(struct keel_mpi_objects *objects)
{
    struct keel_mpi_objects_thread *thread = NULL;

    if (objects->thread != NULL || objects->ranks == 1 || !may_run() ||
        (thread = calloc(1, sizeof *thread)) == NULL) {
        return;
    }
    thread->objects = objects;
    objects->shared = true;
    if (pthread_create(&thread->thread, NULL, run, thread) != 0) {
        free(thread);
        return;
    }
    objects->thread = thread;
}

void keel_mpi_objects_thread_stop(struct keel_mpi_objects *objects)
{
    if (objects->thread != NULL) {
        atomic_store(&objects->thread->stops, true);
        pthread_join(objects->thread->thread, NULL);
        free(objects->thread);
        objects->thread = NULL;
    }
}
