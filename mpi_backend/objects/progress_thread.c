/* A thread that answers other ranks. */
#include "mpi_backend/objects/progress_thread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/objects/progress.h"
#include "schedules/objects/looking.h"

struct keel_mpi_objects_thread {
    pthread_t thread;
    struct keel_mpi_objects *objects;
    double began_s;
    pthread_mutex_t mutex; /* of: */
    pthread_cond_t stopped;
    bool stops;
    /* of the thread: what looks took that found nothing, and how often it looked so */
    double looked_s;
    uint64_t looks;
    bool carries; /* when it looked, messages were on their way to other ranks, or one from them */
};

/* Time of the processor that the calling thread has had, switches to it and from it included as far
 * as the system counts them. */
static double own_time_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Until the rank is to answer again. */
static double quantum_s(const struct keel_mpi_objects_thread *thread, double now_s)
{
    const struct keel_mpi_objects *objects = thread->objects;
    struct keel_quantum_case measured = {
        .look_s = thread->looks > 0 ? thread->looked_s / (double)thread->looks : 0,
        .work_s = now_s - thread->began_s,
        /* relaxed: a count alone */
        .requests = atomic_load_explicit(&objects->requests, memory_order_relaxed),
    };

    double poll_s = objects->poll_s / 2;
    double every_s = keel_mpi_settings()->poll_stated ? poll_s : keel_quantum_s(&measured, poll_s);
    return thread->carries ? fmin(every_s, poll_s) : every_s; /* the next piece waits for a look */
}

/* Sleeps for that long, or until the thread is to stop: then true. */
static bool nap(struct keel_mpi_objects_thread *thread, double time_s)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    double end_s = (double)until.tv_nsec * 1e-9 + time_s;
    until.tv_sec += (time_t)end_s;
    until.tv_nsec = (long)((end_s - floor(end_s)) * 1e9);
    pthread_mutex_lock(&thread->mutex);
    while (!thread->stops &&
           pthread_cond_timedwait(&thread->stopped, &thread->mutex, &until) != ETIMEDOUT) {
    }
    bool stops = thread->stops;
    pthread_mutex_unlock(&thread->mutex);
    return stops;
}

/* since_s: since the last look. Whether anything has come. */
static bool look(struct keel_mpi_objects_thread *thread, double now_s, double since_s,
                 double every_s)
{
    struct keel_mpi_objects *objects = thread->objects;
    bool any = true; /* it is not known: another thread looks */

    if (keel_mpi_objects_try_lock(objects)) {
        keel_looks_note(&objects->looks_apart, fmin(since_s, now_s - objects->works_since_s));
        any = objects->kind == KEEL_MPI_PHASE_NONE || keel_mpi_objects_progress(objects, now_s);
        objects->report.quantum_s = every_s;
        thread->carries = keel_mpi_transport_carries(&objects->transport);
        keel_mpi_objects_unlock(objects);
    }
    return any;
}

#define SHORTEST_PART 4 /* of a quantum, from one look at the clock to the next */

static void *run(void *argument)
{
    struct keel_mpi_objects_thread *thread = argument;
    struct keel_mpi_objects *objects = thread->objects;
    double wait_s = objects->poll_s / 2;

    for (double before_s = own_time_s(); !nap(thread, wait_s); before_s = own_time_s()) {
        double now_s = keel_mpi_clock_s(), every_s = quantum_s(thread, now_s);
        double since_s = now_s - atomic_load_explicit(&objects->progress_s, memory_order_relaxed);
        if (since_s < every_s) { /* another thread has answered */
            wait_s = fmax(every_s - since_s, every_s / SHORTEST_PART);
            continue;
        }
        if (!look(thread, now_s, since_s, every_s)) {
            thread->looked_s += own_time_s() - before_s;
            thread->looks++;
        }
        wait_s = every_s;
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
        keel_mpi_misuse("KEEL_MPI_PROGRESS: a thread that answers for this rank needs "
                        "MPI_THREAD_MULTIPLE; others are answered between objects only");
    }
    return level == MPI_THREAD_MULTIPLE;
}

static void prepare_stopping(struct keel_mpi_objects_thread *thread)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&thread->mutex, NULL);
    pthread_cond_init(&thread->stopped, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void release(struct keel_mpi_objects_thread *thread)
{
    pthread_cond_destroy(&thread->stopped);
    pthread_mutex_destroy(&thread->mutex);
    free(thread);
}

void keel_mpi_objects_thread_start(struct keel_mpi_objects *objects)
{
    struct keel_mpi_objects_thread *thread = NULL;

    if (objects->thread != NULL || objects->ranks == 1 || !may_run() ||
        (thread = calloc(1, sizeof *thread)) == NULL) {
        return;
    }
    thread->objects = objects;
    thread->began_s = keel_mpi_clock_s();
    prepare_stopping(thread);
    objects->shared = true;
    if (pthread_create(&thread->thread, NULL, run, thread) != 0) {
        release(thread);
        return;
    }
    objects->thread = thread;
}

void keel_mpi_objects_thread_stop(struct keel_mpi_objects *objects)
{
    struct keel_mpi_objects_thread *thread = objects->thread;

    if (thread != NULL) {
        pthread_mutex_lock(&thread->mutex);
        thread->stops = true;
        pthread_cond_signal(&thread->stopped);
        pthread_mutex_unlock(&thread->mutex);
        pthread_join(thread->thread, NULL);
        release(thread);
        objects->thread = NULL;
    }
}
