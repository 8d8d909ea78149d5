/* A copy of the program's communicator. */
#include "mpi_backend/job/peers.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/processes/processes.h"
#include "mpi_backend/job/survivors/survivors.h"
#include "omp_ext/support/message.h"

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

#ifdef KEEL_SIMULATED
/* In a simulation of MPI nobody is late. */
int keel_mpi_communicator_copy(MPI_Comm comm, const char *where, MPI_Comm *copy)
{
    (void)where;
    MPI_Comm_dup(comm, copy);
    return KEEL_MPI_OK;
}

int keel_mpi_communicator_copy_own(struct keel_mpi_peers *peers, const char *where, MPI_Comm *copy)
{
    return keel_mpi_communicator_copy(peers->comm, where, copy);
}

void keel_mpi_communicator_give_up(MPI_Comm comm, int code)
{
    (void)comm;
    (void)code;
}
#else

#define NAMES 4 /* of ranks in a message, at most */
#define FINALIZE_S 10

static double now_s(void)
{
    return keel_mpi_clock_ns() * 1e-9;
}

#define NAMED_MAX 512 /* ranks; among more, nobody is named */

/* What MPI_Comm_idup() makes. Stays where it is until that is done. */
struct making {
    MPI_Comm copy;
    MPI_Request request;
    struct making *next; /* that was given up before */
};

/* Of a first call. Stays where it is until all of it is done. */
struct meeting {
    struct keel_mpi_peers peers; /* with processes, where they were connected over another copy */
    struct making making;        /* once all have come */
    MPI_Request request;
    int ranks;
    unsigned char *own, *come; /* of each rank: 1, of those that have come */
    int *one, *place;          /* of each rank: a byte, and where it lies */
};

/* On communicators that were given up. */
static int given_up_key = MPI_KEYVAL_INVALID;

static int given_up(MPI_Comm comm)
{
    intptr_t *code = NULL;
    int found = 0;

    if (given_up_key != MPI_KEYVAL_INVALID) {
        MPI_Comm_get_attr(comm, given_up_key, &code, &found);
    }
    return found ? (int)(intptr_t)code : KEEL_MPI_OK;
}

/* Another try would be another operation than the one that others may come to. */
void keel_mpi_communicator_give_up(MPI_Comm comm, int code)
{
    if (given_up_key == MPI_KEYVAL_INVALID) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &given_up_key, NULL);
    }
    MPI_Comm_set_attr(comm, given_up_key, (void *)(intptr_t)code);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct making *given_up_makings;

/* MPI_Finalize() crashes in Open MPI 4.1 while a communicator is half made. The rank that comes
 * there last completes it, while others wait in MPI_Finalize(); one that never began it keeps
 * nobody for long. */
static void complete_makings(void)
{
    double end_s = now_s() + fmin(FINALIZE_S, keel_mpi_settings()->deadline_s);
    int done;

    for (struct making *making = given_up_makings; making != NULL; making = making->next) {
        done = 0;
        while (MPI_Test(&making->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done &&
               now_s() < end_s) {
            sched_yield();
        }
        if (done) {
            MPI_Comm_free(&making->copy);
        }
    }
}

/* MPI has no way to call it off. */
static void give_up_making(struct making *making)
{
    static bool completes;

    pthread_mutex_lock(&lock);
    making->next = given_up_makings;
    given_up_makings = making;
    completes = completes || keel_mpi_at_finalize(complete_makings);
    pthread_mutex_unlock(&lock);
}

/* In one piece of memory; NULL: the process has none at all. */
static struct meeting *new_meeting(int ranks)
{
    size_t count = (size_t)ranks;
    struct meeting *meeting = calloc(1, sizeof *meeting + count * (2 * sizeof(int) + 2));

    if (meeting == NULL) {
        return NULL;
    }
    meeting->ranks = ranks;
    meeting->one = (int *)(meeting + 1);
    meeting->place = meeting->one + count;
    meeting->own = (unsigned char *)(meeting->place + count);
    meeting->come = meeting->own + count;
    for (int i = 0; i < ranks; i++) {
        meeting->own[i] = 1;
        meeting->one[i] = 1;
        meeting->place[i] = i;
    }
    return meeting;
}

/* Ranks meet: each one sends every other one a byte, so that it is known who has come. */
static bool begin_meeting(struct meeting *meeting, MPI_Comm comm)
{
    struct keel_mpi_peers *peers = &meeting->peers;

    if (meeting->ranks > NAMED_MAX) {
        return KEEL_MPI_CALL(peers, MPI_Ibarrier, comm, &meeting->request);
    }
    return KEEL_MPI_CALL(peers, MPI_Ialltoallv, meeting->own, meeting->one, meeting->place,
                         MPI_BYTE, meeting->come, meeting->one, meeting->place, MPI_BYTE, comm,
                         &meeting->request);
}

/* Looks at bytes that have come in an operation that may never end. */
static bool has_come(const struct meeting *meeting, int rank)
{
    return __atomic_load_n(&meeting->come[rank], __ATOMIC_RELAXED) != 0;
}

/* The first of those that have come tells of the others. */
static bool list_absent(const void *subject, char *text, size_t size)
{
    const struct meeting *meeting = subject;
    int absent = 0, rank = (int)meeting->peers.rank;
    size_t length = 0;

    for (int i = 0; meeting->ranks <= NAMED_MAX && i < meeting->ranks; i++) {
        bool come = i == rank || has_come(meeting, i);
        if (come && i < rank) {
            return false;
        }
        if (!come && absent++ < NAMES) {
            length += (size_t)snprintf(text + length, size - length, "%srank %d",
                                       absent > 1 ? ", " : "", i);
        }
    }
    if (absent > NAMES) {
        length += (size_t)snprintf(text + length, size - length, " and %d more", absent - NAMES);
    } else if (absent == 0) {
        length = (size_t)snprintf(text, size, "other ranks");
    }
    snprintf(text + length, size - length,
             " to make the first such call for this communicator, too");
    return true;
}

static bool await(struct meeting *meeting, const char *where, MPI_Request *request)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(&meeting->peers, where);

    wait.list = list_absent;
    wait.subject = meeting;
    return keel_mpi_wait_for(&wait, 1, request) == KEEL_MPI_OK;
}

static int make_copy(MPI_Comm comm, const char *where, MPI_Comm *copy)
{
    int rank, ranks;

    if (!KEEL_MPI_CALL(NULL, MPI_Comm_rank, comm, &rank) ||
        !KEEL_MPI_CALL(NULL, MPI_Comm_size, comm, &ranks)) {
        return KEEL_MPI_ERROR;
    }
    struct meeting *meeting = new_meeting(ranks);
    if (meeting == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    struct keel_mpi_peers *peers = &meeting->peers;
    struct making *making = &meeting->making;
    const struct keel_mpi_connected *connected = keel_mpi_connected_find(comm);
    *peers = (struct keel_mpi_peers){.comm = MPI_COMM_NULL,
                                     .notices = MPI_COMM_NULL,
                                     .rank = (uint32_t)rank,
                                     .ranks = (uint32_t)ranks};
    if (connected != NULL) {
        peers->hosts = connected->hosts;
        peers->processes = connected->processes;
    }
    if (begin_meeting(meeting, comm) && await(meeting, where, &meeting->request) &&
        KEEL_MPI_CALL(peers, MPI_Comm_idup, comm, &making->copy, &making->request) &&
        !await(meeting, where, &making->request)) {
        give_up_making(making);
    }
    int code = peers->code;
    if (code == KEEL_MPI_OK) {
        *copy = making->copy;
        free(meeting);
    }
    return code;
}

int keel_mpi_communicator_copy(MPI_Comm comm, const char *where, MPI_Comm *copy)
{
    MPI_Errhandler handler;
    int code = given_up(comm);

    *copy = MPI_COMM_NULL;
    if (code != KEEL_MPI_OK) {
        keel_mpi_misuse("%s: an earlier call for this communicator has ended with %s; nothing is "
                        "shared over it",
                        where, keel_mpi_error_name(code));
        return code;
    }
    /* the program's own may end the job */
    if (!KEEL_MPI_CALL(NULL, MPI_Comm_get_errhandler, comm, &handler)) {
        keel_mpi_communicator_give_up(comm, KEEL_MPI_ERROR);
        return KEEL_MPI_ERROR;
    }
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    code = make_copy(comm, where, copy);
    if (code != KEEL_MPI_OK) {
        keel_mpi_communicator_give_up(comm, code);
    }
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    return code;
}

int keel_mpi_communicator_copy_own(struct keel_mpi_peers *peers, const char *where, MPI_Comm *copy)
{
    struct making *making = malloc(sizeof *making);

    *copy = MPI_COMM_NULL;
    if (making == NULL) {
        keel_mpi_peers_fail(peers, KEEL_MPI_NO_ROOM);
    } else if (!KEEL_MPI_CALL(peers, MPI_Comm_idup, peers->comm, &making->copy, &making->request)) {
        free(making);
    } else if (keel_mpi_peers_await(peers, where, 1, &making->request) == KEEL_MPI_OK) {
        *copy = making->copy;
        free(making);
    } else {
        give_up_making(making);
    }
    return keel_mpi_peers_code(peers);
}

#endif
