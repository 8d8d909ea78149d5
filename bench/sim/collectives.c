/* Collective operations in the background, for simulated jobs of many ranks.
 *
 * SMPI's MPI_Iallreduce and MPI_Iallgather send a message from each rank to each other one, which
 * takes hours to simulate from 256 ranks on. The linker redirects them to here (smpi.bzl), where a
 * rank sends ceil(log2 P) messages, as most MPIs do it (Bruck et al. 1997): in round k to the rank
 * 2^k below, all that it has heard by then. What may count once only goes up a binomial tree and
 * down again: a message each way for each rank but the first. They get on while their request is
 * tested or waited for. Only what Keel makes of them is supported. */
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
    enum { MAXIMA, GATHER, TREE } kind; /* maxima of 64-bit numbers; all; any operation */
    enum { UP, AWAIT, DOWN } stage;     /* of TREE */
    int count;
    MPI_Datatype type;
    MPI_Op operation;
    bool receives; /* TREE: from the rank 2^k above */
    size_t size;   /* bytes of one rank */
    char *result;  /* of the caller */
    char *heard;   /* what ranks told, from this one upwards; maximum: what the others told last */
    int from;      /* 2^k in round k */
    MPI_Request request[2];
};

static struct collective *pending;

/* A receive whose message has begun to come: to test for it is to wait for it. SimGrid keeps each
 * request that a test has ended in a list, which it goes through whenever the rank computes; what
 * has been waited for it forgets. */
MPI_Request sim_coming = MPI_REQUEST_NULL;

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
    size_t bytes = collective->size * (collective->kind == GATHER ? (size_t)told : 1);
    const char *known = collective->kind == GATHER ? collective->heard : collective->result;
    char *place =
        collective->heard + (collective->kind == GATHER ? (size_t)from * collective->size : 0);

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

/* What was heard, in order of ranks. */
static void put_in_place(struct collective *collective)
{
    size_t below = (size_t)collective->rank * collective->size;
    size_t above = (size_t)(collective->ranks - collective->rank) * collective->size;

    memcpy(collective->result + below, collective->heard, above);
    memcpy(collective->result, collective->heard + above, below);
}

/* --- up and down a tree --- */

/* False: a rank below in the tree has not told yet. Leaves 2^k at the rank's lowest bit, or beyond
 * all ranks. */
static bool go_up(struct collective *collective)
{
    int rank = collective->rank, done;

    for (; collective->from < collective->ranks && (rank & collective->from) == 0;
         collective->from *= 2) {
        if (rank + collective->from >= collective->ranks) {
            continue;
        }
        if (!collective->receives) {
            MPI_Irecv(collective->heard, collective->count, collective->type,
                      rank + collective->from, collective->tag, collective->comm,
                      &collective->request[0]);
            collective->receives = true;
        }
        __real_MPI_Test(&collective->request[0], &done, MPI_STATUS_IGNORE);
        if (!done) {
            return false;
        }
        collective->receives = false;
        MPI_Reduce_local(collective->heard, collective->result, collective->count, collective->type,
                         collective->operation);
    }
    return true;
}

static void ask_above(struct collective *collective)
{
    int above = collective->rank - collective->from;

    MPI_Irecv(collective->heard, collective->count, collective->type, above, collective->tag,
              collective->comm, &collective->request[0]);
    MPI_Isend(collective->result, collective->count, collective->type, above, collective->tag,
              collective->comm, &collective->request[1]);
}

/* Messages are so short that they are gone at once. */
static void tell_below(struct collective *collective)
{
    for (int by = collective->from / 2; by > 0; by /= 2) {
        if (collective->rank + by < collective->ranks) {
            MPI_Send(collective->result, collective->count, collective->type, collective->rank + by,
                     collective->tag, collective->comm);
        }
    }
}

static bool is_tree_done(struct collective *collective)
{
    int done = 1;

    if (collective->stage == UP && go_up(collective)) {
        collective->stage = collective->rank == 0 ? DOWN : AWAIT;
        if (collective->stage == AWAIT) {
            ask_above(collective);
        }
    }
    if (collective->stage == AWAIT) {
        MPI_Testall(2, collective->request, &done, MPI_STATUSES_IGNORE);
        if (done) {
            memcpy(collective->result, collective->heard, collective->size);
            collective->stage = DOWN;
        }
    }
    if (collective->stage != DOWN) {
        return false;
    }
    tell_below(collective);
    return true;
}

/* A single rank knows all. */
static void begin_rounds(struct collective *collective)
{
    if (collective->ranks > 1) {
        begin_round(collective);
    } else if (collective->kind == GATHER) {
        put_in_place(collective);
    }
}

/* True: that was the last round. */
static bool end_round(struct collective *collective)
{
    if (collective->kind == MAXIMA) {
        take_maxima(collective);
    }
    collective->from *= 2;
    if (collective->from < collective->ranks) {
        begin_round(collective);
        return false;
    }
    if (collective->kind == GATHER) {
        put_in_place(collective);
    }
    return true;
}

static bool is_done(struct collective *collective)
{
    int done = 1;

    if (collective->kind == TREE) {
        return is_tree_done(collective);
    }
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
    collective->request[0] = collective->request[1] = MPI_REQUEST_NULL;
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
    int bytes;

    if (collective == NULL) {
        return MPI_ERR_OTHER;
    }
    MPI_Type_size(type, &bytes);
    begin(collective, comm, request);
    collective->kind = type == MPI_UINT64_T && operation == MPI_MAX ? MAXIMA : TREE;
    collective->count = count;
    collective->type = type;
    collective->operation = operation;
    collective->size = (size_t)count * (size_t)bytes;
    collective->heard = malloc(collective->size);
    collective->result = memcpy(receive, send, collective->size);
    if (collective->kind == MAXIMA) {
        begin_rounds(collective);
    }
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
    collective->kind = GATHER;
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
    if (*request != MPI_REQUEST_NULL && *request == sim_coming) {
        sim_coming = MPI_REQUEST_NULL;
        *done = true;
        return __real_MPI_Wait(request, status);
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
