/* While this process is in a call of MPI that can't be given up: a thread looks at the processes of
 * the other ranks. Where one of them has ended, or is stopped for KEEL_MPI_DEADLINE, the call never
 * returns: the process ends, with a message, instead of waiting for ever.
 *
 *   keel_mpi_watch_begin() -> MPI_Comm_split(), ... -> keel_mpi_watch_end()
 *
 * Nobody else looks at these processes meanwhile. Without a thread, nothing is watched. */
#ifndef MPI_BACKEND_JOB_PROCESSES_WATCH_H
#define MPI_BACKEND_JOB_PROCESSES_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/hosts.h"
#include "mpi_backend/job/processes/processes.h"

/* Of one call. `over` is under the mutex. */
struct keel_mpi_watch {
    struct keel_mpi_processes *processes;
    const struct keel_mpi_hosts *hosts;
    const unsigned char
        *without;     /* one byte for each rank, 1: it is not waited for; NULL: all are */
    const char *what; /* that is done, for messages: "a job was opened" */
    uint32_t rank;    /* this one */
    bool watched, over;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

void keel_mpi_watch_begin(struct keel_mpi_watch *watch, struct keel_mpi_processes *processes,
                          uint32_t rank, const struct keel_mpi_hosts *hosts,
                          const unsigned char *without, const char *what);

void keel_mpi_watch_end(struct keel_mpi_watch *watch);

#endif
