/* The communicator of the ranks that are left. */
#include "mpi_backend/job/survivors/making.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "mpi_backend/job/processes/ending.h"
#include "mpi_backend/job/settings.h"
#include "omp_ext/support/message.h"

#define TAG 32765 /* of MPI_Comm_create_group() */

#ifdef KEEL_SIMULATED
int keel_mpi_survivors_make(MPI_Comm comm, struct keel_mpi_connected *connected,
                            MPI_Comm *survivors)
{
    (void)connected;
    MPI_Comm_dup(comm, survivors);
    return KEEL_MPI_OK;
}
#else

/* What a thread looks at while another one is in MPI. */
struct watch {
    struct keel_mpi_connected *connected;
    pthread_mutex_t mutex;
    pthread_cond_t over;
    bool is_over; /* under the mutex */
};

static void end_process(const struct keel_mpi_connected *connected, uint32_t rank)
{
    keel_message(
        "rank %u (%s) ends, as rank %u (%s) has ended while the communicator of those that "
        "are left was made, which MPI can't give up",
        connected->rank, connected->host[connected->rank], rank, connected->host[rank]);
    _exit(KEEL_MPI_RANKS_LOST);
}

static void *look(void *context)
{
    struct watch *watch = context;
    unsigned ended = 0;
    bool looked = false;
    struct timespec next;

    pthread_mutex_lock(&watch->mutex);
    while (!watch->is_over) {
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_sec++;
        pthread_cond_timedwait(&watch->over, &watch->mutex, &next);
        uint32_t rank = watch->is_over ? watch->connected->ranks
                                       : keel_mpi_connected_ended(watch->connected,
                                                                  watch->connected->agreement.set);
        ended = rank < watch->connected->ranks ? ended + 1 : 0;
        if (ended == 3) { /* it may have come before it ended, so that all is well */
            end_process(watch->connected, rank);
        }
        keel_mpi_processes_look(&watch->connected->processes, !looked);
        looked = true;
        keel_mpi_end_stopped(&watch->connected->processes, watch->connected->rank,
                             watch->connected->host, keel_mpi_settings()->deadline_s, 1);
    }
    pthread_mutex_unlock(&watch->mutex);
    return NULL;
}

static int create(struct keel_mpi_connected *connected, MPI_Group left, MPI_Comm *survivors)
{
    struct watch watch = {.connected = connected,
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .over = PTHREAD_COND_INITIALIZER};
    pthread_t thread;
    bool watched = pthread_create(&thread, NULL, look, &watch) == 0;
    int returned = MPI_Comm_create_group(connected->comm, left, TAG, survivors);

    if (watched) {
        pthread_mutex_lock(&watch.mutex);
        watch.is_over = true;
        pthread_cond_signal(&watch.over);
        pthread_mutex_unlock(&watch.mutex);
        pthread_join(thread, NULL);
    }
    return keel_mpi_check(NULL, returned, "MPI_Comm_create_group") ? KEEL_MPI_OK : KEEL_MPI_ERROR;
}

int keel_mpi_survivors_make(MPI_Comm comm, struct keel_mpi_connected *connected,
                            MPI_Comm *survivors)
{
    int *rank = malloc(connected->ranks * sizeof *rank), count = 0;
    MPI_Group all, left;
    MPI_Errhandler handler;

    if (rank == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    for (uint32_t i = 0; i < connected->ranks; i++) {
        if (!connected->agreement.set[i]) {
            rank[count++] = (int)i;
        }
    }
    MPI_Comm_group(connected->comm, &all);
    MPI_Group_incl(all, count, rank, &left);
    int code = create(connected, left, survivors);
    if (code == KEEL_MPI_OK && MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(*survivors, handler);
        MPI_Errhandler_free(&handler);
    }
    MPI_Group_free(&left);
    MPI_Group_free(&all);
    free(rank);
    return code;
}
#endif
