/* Collective operations in the background, for simulated jobs of many ranks.
 *
 * SMPI's MPI_Iallreduce and MPI_Iallgather send a message from each rank to each other one, which
 * takes hours to simulate from 256 ranks on. The linker redirects them to here (smpi.bzl), where a
 * rank sends ceil(log2 P) messages, as most MPIs do it (Bruck et al. 1997): in round k to the rank
 * 2^k below, all that it has heard by then. They get on while their request is tested or waited
 * for. Only what Keel makes of them is supported. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TAG_FIRST 1000 /* Keel's messages lie below */
#define TAGS 10000

/* One operation of one rank. Its address stands for the request. */
struct collective {
    struct collective *next;
    MPI_Comm comm;
    int tag, rank, ranks;
    bool gathers; /* else: the maximum of 64-bit numbers */
    bool sums;    /* what was gathered is added up, as 64-bit numbers */
    size_t size;  /* bytes of one rank */
    char *result; /* of the caller */
    char *heard;  /* what ranks told, from this one upwards; maximum: what the others told last */
    int from;     /* 2^k in round k */
    MPI_Request request[2];
};

static struct collective *pending;

int __wrap_MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type,
                          MPI_Op operation, MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Iallgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                          int count, MPI_Datatype type, MPI_Comm comm, MPI_Request *request);
int __real_MPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __wrap_MPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __real_MPI_Wait(MPI_Request *request, MPI_Status *status);
int __wrap_MPI_Wait(MPI_Request *request, MPI_Status *status);

/* --- rounds --- */

static void begin_round(struct collective *collective)
{
    int from = collective->from, rank = collective->rank, ranks = collective->ranks;
    int told = from < ranks - from ? from : ranks - from;
    size_t bytes = collective->size * (collective->gathers ? (size_t)told : 1);
    const char *known = collective->gathers ? collective->heard : collective->result;
    char *place = collective->heard + (collective->gathers ? (size_t)from * collective->size : 0);

    MPI_Irecv(place, (int)bytes, MPI_BYTE, (rank + from) % ranks, collective->tag, collective->comm,
              &collective->request[0]);
    MPI_Isend(known, (int)bytes, MPI_BYTE, (rank + ranks - from) % ranks, collective->tag,
              collective->comm, &collective->request[1]);
}

static void take_maxima(struct collective *collective)
{
    const uint64_t *heard = (const uint64_t *)collective->heard;
    uint64_t *result = (uint64_t *)collective->result;

    for (size_t i = 0; i < collective->size / sizeof *heard; i++) {
        result[i] = heard[i] > result[i] ? heard[i] : result[i];
    }
}

static void add_up(struct collective *collective)
{
    const uint64_t *heard = (const uint64_t *)collective->heard;
    uint64_t *result = (uint64_t *)collective->result;
    size_t words = collective->size / sizeof *heard;

    memset(result, 0, collective->size);
    for (size_t i = 0; i < words * (size_t)collective->ranks; i++) {
        result[i % words] += heard[i];
    }
}

/* What was heard, in order of ranks. */
static void put_in_order(struct collective *collective)
{
    size_t below = (size_t)collective->rank * collective->size;
    size_t above = (size_t)(collective->ranks - collective->rank) * collective->size;

    memcpy(collective->result + below, collective->heard, above);
    memcpy(collective->result, collective->heard + above, below);
}

static void put_in_place(struct collective *collective)
{
    if (collective->sums) {
        add_up(collective);
    } else {
        put_in_order(collective);
    }
}

/* A single rank knows all. */
static void begin_rounds(struct collective *collective)
{
    if (collective->ranks > 1) {
        begin_round(collective);
    } else if (collective->gathers) {
        put_in_place(collective);
    }
}

/* True: that was the last round. */
static bool end_round(struct collective *collective)
{
    if (!collective->gathers) {
        take_maxima(collective);
    }
    collective->from *= 2;
    if (collective->from < collective->ranks) {
        begin_round(collective);
        return false;
    }
    if (collective->gathers) {
        put_in_place(collective);
    }
    return true;
}

static bool is_done(struct collective *collective)
{
    int done = 1;

    while (collective->from < collective->ranks) {
        MPI_Testall(2, collective->request, &done, MPI_STATUSES_IGNORE);
        if (!done || end_round(collective)) {
            break;
        }
    }
    return done;
}

/* --- what the linker redirects --- */

static void begin(struct collective *collective, MPI_Comm comm, MPI_Request *request)
{
    static int begun; /* equal on all ranks that begin the same operations */

    collective->comm = comm;
    collective->tag = TAG_FIRST + begun++ % TAGS;
    collective->from = 1;
    MPI_Comm_rank(comm, &collective->rank);
    MPI_Comm_size(comm, &collective->ranks);
    collective->next = pending;
    pending = collective;
    *request = (MPI_Request)collective;
}

int __wrap_MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type,
                          MPI_Op operation, MPI_Comm comm, MPI_Request *request)
{
    struct collective *collective = calloc(1, sizeof *collective);

    if (collective == NULL || type != MPI_UINT64_T ||
        (operation != MPI_MAX && operation != MPI_SUM)) {
        return MPI_ERR_OTHER;
    }
    begin(collective, comm, request);
    collective->gathers = collective->sums = operation == MPI_SUM;
    collective->size = (size_t)count * sizeof(uint64_t);
    collective->result = receive;
    collective->heard =
        malloc(collective->size * (collective->sums ? (size_t)collective->ranks : 1));
    memcpy(collective->sums ? collective->heard : collective->result, send, collective->size);
    begin_rounds(collective);
    return MPI_SUCCESS;
}

int __wrap_MPI_Iallgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                          int count, MPI_Datatype type, MPI_Comm comm, MPI_Request *request)
{
    struct collective *collective = calloc(1, sizeof *collective);
    int bytes;

    if (collective == NULL || send_type != type || send_count != count) {
        return MPI_ERR_OTHER;
    }
    MPI_Type_size(type, &bytes);
    begin(collective, comm, request);
    collective->gathers = true;
    collective->size = (size_t)count * (size_t)bytes;
    collective->heard = malloc((size_t)collective->ranks * collective->size);
    collective->result = receive;
    memcpy(collective->heard, send, collective->size);
    begin_rounds(collective);
    return MPI_SUCCESS;
}

/* Removes it if it is done. */
static bool finish(struct collective **link, MPI_Request *request)
{
    struct collective *collective = *link;

    if (!is_done(collective)) {
        return false;
    }
    *link = collective->next;
    free(collective->heard);
    free(collective);
    *request = MPI_REQUEST_NULL;
    return true;
}

int __wrap_MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    for (struct collective **link = &pending; *link != NULL; link = &(*link)->next) {
        if ((MPI_Request)*link == *request) {
            *done = finish(link, request);
            return MPI_SUCCESS;
        }
    }
    return __real_MPI_Test(request, done, status);
}

int __wrap_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    for (struct collective **link = &pending; *link != NULL; link = &(*link)->next) {
        if ((MPI_Request)*link == *request) {
            while (!finish(link, request)) {
                MPI_Waitall(2, (*link)->request, MPI_STATUSES_IGNORE);
            }
            return MPI_SUCCESS;
        }
    }
    return __real_MPI_Wait(request, status);
}
