/* A copy of the program's communicator. */
#include "mpi_backend/job/peers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/processes.h"
#include "mpi_backend/job/survivors.h"
#include "omp_ext/support/message.h"

#ifdef KEEL_SIMULATED
/* In a simulation of MPI no rank is late. */
int keel_mpi_communicator_copy(MPI_Comm comm, const char *where, MPI_Comm *copy)
{
    (void)where;
    MPI_Comm_dup(comm, copy);
    return KEEL_MPI_OK;
}

void keel_mpi_communicator_give_up(MPI_Comm comm, int code)
{
    (void)comm;
    (void)code;
}
#else

#define NAMES 4 /* of ranks in a message, at most */

#define NAMED_MAX 512 /* ranks; among more, none is named */

/* Of a first call. Stays where it is until all of it is done. */
struct meeting {
    struct keel_mpi_peers peers;   /* with processes, where they were connected over another copy */
    struct keel_mpi_making making; /* once all have come */
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

/* The first of those that have come prints the others. */
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
    struct keel_mpi_making *making = &meeting->making;
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
        keel_mpi_making_give_up(making);
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

#endif
