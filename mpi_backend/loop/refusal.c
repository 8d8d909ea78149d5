/* Loops that were to be shared and are not. Kept by handle: a communicator that can't be used has
 * nothing else to keep it at. */
#include "mpi_backend/loop/refusal.h"

#include <pthread.h>
#include <stddef.h>

#include "mpi_backend/include/keel_mpi.h"

/* Communicators whose last loop was refused; of more, the oldest is forgotten. KEEL_MPI_OK: free */
#define REFUSALS 16
static struct {
    MPI_Comm comm;
    int code;
} refusals[REFUSALS];
static unsigned next_refusal;

/* Threads that may not call MPI are refused, too, at any time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The communicator's place; -1: it has none. */
static int find(MPI_Comm comm)
{
    for (int i = 0; i < REFUSALS; i++) {
        if (refusals[i].code != KEEL_MPI_OK && refusals[i].comm == comm) {
            return i;
        }
    }
    return -1;
}

int keel_mpi_refusal_note(MPI_Comm comm, int code)
{
    pthread_mutex_lock(&mutex);
    int place = find(comm);
    if (place < 0 && code != KEEL_MPI_OK) {
        place = (int)(next_refusal++ % REFUSALS);
        refusals[place].comm = comm;
    }
    if (place >= 0) {
        refusals[place].code = code;
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

int keel_mpi_refusal_of(MPI_Comm comm)
{
    pthread_mutex_lock(&mutex);
    int place = find(comm), code = place >= 0 ? refusals[place].code : KEEL_MPI_OK;
    pthread_mutex_unlock(&mutex);
    return code;
}
