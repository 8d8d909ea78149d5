/* A thread that looks after something from time to time while others work, and sleeps in between.
 *
 *   start -> sleep -> look -> sleep as long as that says -> ... -> stop: at once, unless it looks
 *
 * No MPI. Signals are for the program's own threads. */
#ifndef MPI_BACKEND_PROCESS_PERIODIC_THREAD_H
#define MPI_BACKEND_PROCESS_PERIODIC_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Begins as {0}. */
struct keel_mpi_periodic {
    pthread_t thread;
    pthread_mutex_t mutex; /* of `stops` */
    pthread_cond_t stopped;
    bool runs, stops;
    double first_s;
    double (*look)(void *context);
    void *context;
};

/* The thread looks first_s from now, and again after as many seconds as `look` returns. Without a
 * thread, nothing does. */
void keel_mpi_periodic_start(struct keel_mpi_periodic *periodic, double first_s,
                             double (*look)(void *context), void *context);

/* It does not look any more. Not where none runs: nothing. */
void keel_mpi_periodic_stop(struct keel_mpi_periodic *periodic);

#endif
