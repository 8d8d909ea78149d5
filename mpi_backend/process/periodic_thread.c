/* A thread that looks after something from time to time. */
#include "mpi_backend/process/mpi_process.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <time.h>

/* Sleeps for that long, or until the thread is to stop: then true. */
static bool nap(struct keel_mpi_periodic *periodic, double time_s)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    double end_s = (double)until.tv_nsec * 1e-9 + time_s;
    until.tv_sec += (time_t)end_s;
    until.tv_nsec = (long)((end_s - floor(end_s)) * 1e9);
    pthread_mutex_lock(&periodic->mutex);
    while (!periodic->stops &&
           pthread_cond_timedwait(&periodic->stopped, &periodic->mutex, &until) != ETIMEDOUT) {
    }
    bool stops = periodic->stops;
    pthread_mutex_unlock(&periodic->mutex);
    return stops;
}

static void *run(void *argument)
{
    struct keel_mpi_periodic *periodic = argument;
    double wait_s = periodic->first_s;

    while (!nap(periodic, wait_s)) {
        wait_s = periodic->look(periodic->context);
    }
    return NULL;
}

void keel_mpi_periodic_start(struct keel_mpi_periodic *periodic, double first_s,
                             double (*look)(void *context), void *context)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;

    *periodic = (struct keel_mpi_periodic){.first_s = first_s, .look = look, .context = context};
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&periodic->mutex, NULL);
    pthread_cond_init(&periodic->stopped, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    periodic->runs = pthread_create(&periodic->thread, NULL, run, periodic) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void keel_mpi_periodic_stop(struct keel_mpi_periodic *periodic)
{
    if (!periodic->runs) {
        return;
    }
    pthread_mutex_lock(&periodic->mutex);
    periodic->stops = true;
    pthread_cond_signal(&periodic->stopped);
    pthread_mutex_unlock(&periodic->mutex);
    pthread_join(periodic->thread, NULL);
    pthread_cond_destroy(&periodic->stopped);
    pthread_mutex_destroy(&periodic->mutex);
    periodic->runs = false;
}
