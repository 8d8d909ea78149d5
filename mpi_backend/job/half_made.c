/* Communicators that are half made, and what is done as MPI_Finalize() begins. */
#include <math.h>
#include <pthread.h>
#include <sched.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/process/mpi_process.h"

#define FINALIZE_S 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct keel_mpi_making *given_up;

static int call(MPI_Comm comm, int key, void *value, void *extra)
{
    void (*function)(void) = (void (*)(void))(intptr_t)value;

    (void)comm;
    (void)key;
    (void)extra;
    function();
    return MPI_SUCCESS;
}

/* Attributes of MPI_COMM_SELF go first in MPI_Finalize(). */
bool keel_mpi_at_finalize(void (*function)(void))
{
    int key;

    return KEEL_MPI_CALL(NULL, MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, call, &key, NULL) &&
           KEEL_MPI_CALL(NULL, MPI_Comm_set_attr, MPI_COMM_SELF, key, (void *)(intptr_t)function);
}

/* MPI_Finalize() crashes in Open MPI 4.1 while a communicator is half made. The rank that comes
 * there last completes it, while others wait in MPI_Finalize(); one that never began it does not
 * delay them. */
static void complete(void)
{
    double end_s = keel_mpi_clock_s() + fmin(FINALIZE_S, keel_mpi_settings()->deadline_s);
    int done;

    for (struct keel_mpi_making *making = given_up; making != NULL; making = making->next) {
        done = 0;
        while (MPI_Test(&making->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done &&
               keel_mpi_clock_s() < end_s) {
            sched_yield();
        }
        if (done) {
            MPI_Comm_free(&making->copy);
        }
    }
}

void keel_mpi_making_give_up(struct keel_mpi_making *making)
{
    static bool completes;

    pthread_mutex_lock(&lock);
    making->next = given_up;
    given_up = making;
    completes = completes || keel_mpi_at_finalize(complete);
    pthread_mutex_unlock(&lock);
}
