/* Non-blocking collective operations, for simulated jobs of many ranks.
 *
 * SMPI's MPI_Iallreduce and MPI_Iallgather send a message from each rank to each other one, which
 * takes hours to simulate from 256 ranks on; its MPI_Ibcast and MPI_Igather keep the link of one
 * rank busy with all messages. The linker redirects them to here (smpi.bzl), where a rank sends
 * ceil(log2 P) messages, as in most MPIs (Bruck et al. 1997): in round k to the rank 2^k below, all
 * data that it has received so far. Values that may count only once, and data to or from rank 0
 * alone, go up a binomial tree, or down, or both: a message for each rank but the first. They make
 * progress while their request is tested or waited for. Only Keel's uses of them are supported. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TAG_FIRST 1000 /* Keel's messages have lower tags */
#define TAGS 10000

/* Below 2^31 ranks, a rank has at most this number of children in a binomial tree. */
#define REQUESTS 32

/* One operation of one rank. Its address serves as the request. */
struct collective {
    struct collective *next;
    MPI_Comm comm;
    int tag, rank, ranks;
    /* In rounds: maxima of 64-bit numbers, all from all. By a tree: to rank 0, from it, both. */
    enum { MAXIMA, ALL_TO_ALL, TO_FIRST, FROM_FIRST, REDUCE } kind;
    enum { UP, ABOVE, BELOW } stage; /* by a tree: the message that is waited for */
    int count;                       /* REDUCE: numbers that are combined */
    MPI_Datatype type;
    MPI_Op operation;
    size_t size;  /* bytes of one rank */
    char *result; /* of the caller */
    char *heard;  /* data of ranks, from this one upwards; MAXIMA, REDUCE: the last received */
    int from;     /* 2^k in round k */
    int requests;
    MPI_Request request[REQUESTS];
};

static struct collective *pending;

/* A receive whose message has begun to arrive: testing for it waits for it. SimGrid keeps each
 * request that a test has ended in a list, which it goes through whenever the rank computes; it
 * forgets requests that have been waited for. */
MPI_Request sim_coming = MPI_REQUEST_NULL;

int __wrap_MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type,
                          MPI_Op operation, MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Iallgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                          int count, MPI_Datatype type, MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                      MPI_Request *request);
int __wrap_MPI_Igather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                       int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int __real_MPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __wrap_MPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __real_MPI_Wait(MPI_Request *request, MPI_Status *status);
int __wrap_MPI_Wait(MPI_Request *request, MPI_Status *status);

/* --- messages --- */

static void receive(struct collective *collective, char *place, size_t bytes, int rank)
{
    MPI_Irecv(place, (int)bytes, MPI_BYTE, rank, collective->tag, collective->comm,
              &collective->request[collective->requests++]);
}

static void send(struct collective *collective, const char *data, size_t bytes, int rank)
{
    MPI_Isend(data, (int)bytes, MPI_BYTE, rank, collective->tag, collective->comm,
              &collective->request[collective->requests++]);
}

/* Whether all messages that have begun are done. */
static bool are_over(struct collective *collective)
{
    int done = 1;

    MPI_Testall(collective->requests, collective->request, &done, MPI_STATUSES_IGNORE);
    collective->requests = done ? 0 : collective->requests;
    return done;
}

/* --- rounds --- */

static void begin_round(struct collective *collective)
{
    int from = collective->from, rank = collective->rank, ranks = collective->ranks;
    int sent = from < ranks - from ? from : ranks - from;
    bool all = collective->kind == ALL_TO_ALL;
    size_t bytes = collective->size * (all ? (size_t)sent : 1);

    receive(collective, collective->heard + (all ? (size_t)from * collective->size : 0), bytes,
            (rank + from) % ranks);
    send(collective, all ? collective->heard : collective->result, bytes,
         (rank + ranks - from) % ranks);
}

static void take_maxima(struct collective *collective)
{
    const uint64_t *heard = (const uint64_t *)collective->heard;
    uint64_t *result = (uint64_t *)collective->result;

    for (size_t i = 0; i < collective->size / sizeof *heard; i++) {
        result[i] = heard[i] > result[i] ? heard[i] : result[i];
    }
}

/* Copies the received data to the result, in the order of ranks. */
static void put_in_place(struct collective *collective)
{
    size_t below = (size_t)collective->rank * collective->size;
    size_t above = (size_t)(collective->ranks - collective->rank) * collective->size;

    memcpy(collective->result + below, collective->heard, above);
    memcpy(collective->result, collective->heard + above, below);
}

/* A single rank has all data. */
static void begin_rounds(struct collective *collective)
{
    if (collective->ranks > 1) {
        begin_round(collective);
    } else if (collective->kind == ALL_TO_ALL) {
        put_in_place(collective);
    }
}

/* Returns whether that was the last round. */
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
    if (collective->kind == ALL_TO_ALL) {
        put_in_place(collective);
    }
    return true;
}

static bool are_rounds_done(struct collective *collective)
{
    while (collective->from < collective->ranks) {
        if (!are_over(collective)) {
            return false;
        }
        if (end_round(collective)) {
            return true;
        }
    }
    return true;
}

/* --- up and down a tree --- */

/* Number of ranks from `rank` on that are in its subtree, itself included, at most `from`. */
static size_t ranks_below(const struct collective *collective, int rank, int from)
{
    return (size_t)(from < collective->ranks - rank ? from : collective->ranks - rank);
}

/* Receives from the rank `from` above: its data and those of its subtree. */
static void hear_from(struct collective *collective, int from)
{
    bool all = collective->kind == TO_FIRST;
    int rank = collective->rank + from;

    receive(collective, collective->heard + (all ? (size_t)from * collective->size : 0),
            collective->size * (all ? ranks_below(collective, rank, from) : 1), rank);
}

/* Returns false if a child in the tree has not sent yet. Leaves `from` at the rank's lowest bit, or
 * beyond all ranks. */
static bool go_up(struct collective *collective)
{
    int rank = collective->rank;

    for (; collective->from < collective->ranks && (rank & collective->from) == 0;
         collective->from *= 2) {
        if (collective->kind == FROM_FIRST || rank + collective->from >= collective->ranks) {
            continue;
        }
        if (collective->requests == 0) {
            hear_from(collective, collective->from);
        }
        if (!are_over(collective)) {
            return false;
        }
        if (collective->kind == REDUCE) {
            MPI_Reduce_local(collective->heard, collective->result, collective->count,
                             collective->type, collective->operation);
        }
    }
    return true;
}

static void turn_to_above(struct collective *collective)
{
    int from = collective->from, above = collective->rank - from;

    if (collective->kind != TO_FIRST) {
        receive(collective, collective->kind == REDUCE ? collective->heard : collective->result,
                collective->size, above);
    }
    if (collective->kind == TO_FIRST) {
        send(collective, collective->heard,
             collective->size * ranks_below(collective, collective->rank, from), above);
    } else if (collective->kind == REDUCE) {
        send(collective, collective->result, collective->size, above);
    }
}

/* Sends the result, which this rank has now, to its children. */
static void turn_to_below(struct collective *collective)
{
    for (int by = collective->from / 2; by > 0 && collective->kind != TO_FIRST; by /= 2) {
        if (collective->rank + by < collective->ranks) {
            send(collective, collective->result, collective->size, collective->rank + by);
        }
    }
}

/* Copies the received data to the result. */
static void take_received(struct collective *collective)
{
    if (collective->kind == REDUCE && collective->rank > 0) {
        memcpy(collective->result, collective->heard, collective->size);
    } else if (collective->kind == TO_FIRST && collective->rank == 0) {
        memcpy(collective->result, collective->heard, (size_t)collective->ranks * collective->size);
    }
}

static bool is_tree_done(struct collective *collective)
{
    if (collective->stage == UP && go_up(collective)) {
        collective->stage = ABOVE;
        if (collective->rank > 0) {
            turn_to_above(collective);
        }
    }
    if (collective->stage == ABOVE && are_over(collective)) {
        collective->stage = BELOW;
        take_received(collective);
        turn_to_below(collective);
    }
    return collective->stage == BELOW && are_over(collective);
}

static bool is_done(struct collective *collective)
{
    bool in_rounds = collective->kind == MAXIMA || collective->kind == ALL_TO_ALL;

    return in_rounds ? are_rounds_done(collective) : is_tree_done(collective);
}

/* --- functions that the linker redirects --- */

/* Begins an operation with `count` elements of each rank. NULL if memory is short. */
static struct collective *begin(int kind, int count, MPI_Datatype type, MPI_Comm comm,
                                MPI_Request *request)
{
    static int begun; /* equal on all ranks that begin the same operations */
    struct collective *collective = calloc(1, sizeof *collective);
    int bytes;

    if (collective == NULL) {
        return NULL;
    }
    MPI_Type_size(type, &bytes);
    collective->kind = kind;
    collective->count = count;
    collective->type = type;
    collective->size = (size_t)count * (size_t)bytes;
    collective->comm = comm;
    collective->tag = TAG_FIRST + begun++ % TAGS;
    collective->from = 1;
    MPI_Comm_rank(comm, &collective->rank);
    MPI_Comm_size(comm, &collective->ranks);
    collective->next = pending;
    pending = collective;
    *request = (MPI_Request)collective;
    return collective;
}

/* Makes room for the data of `ranks` ranks, this one's `own` first. */
static void hear_of(struct collective *collective, size_t ranks, const void *own)
{
    collective->heard = malloc(ranks * collective->size);
    memcpy(collective->heard, own, collective->size);
}

int __wrap_MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type,
                          MPI_Op operation, MPI_Comm comm, MPI_Request *request)
{
    bool maxima = type == MPI_UINT64_T && operation == MPI_MAX;
    struct collective *collective = begin(maxima ? MAXIMA : REDUCE, count, type, comm, request);

    if (collective == NULL) {
        return MPI_ERR_OTHER;
    }
    collective->operation = operation;
    collective->heard = malloc(collective->size);
    collective->result = memcpy(receive, send, collective->size);
    if (maxima) {
        begin_rounds(collective);
    }
    return MPI_SUCCESS;
}

int __wrap_MPI_Iallgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                          int count, MPI_Datatype type, MPI_Comm comm, MPI_Request *request)
{
    bool alike = send_type == type && send_count == count;
    struct collective *collective = alike ? begin(ALL_TO_ALL, count, type, comm, request) : NULL;

    if (collective == NULL) {
        return MPI_ERR_OTHER;
    }
    collective->result = receive;
    hear_of(collective, (size_t)collective->ranks, send);
    begin_rounds(collective);
    return MPI_SUCCESS;
}

int __wrap_MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                      MPI_Request *request)
{
    struct collective *collective =
        root == 0 ? begin(FROM_FIRST, count, type, comm, request) : NULL;

    if (collective == NULL) {
        return MPI_ERR_OTHER;
    }
    collective->result = data;
    is_tree_done(collective);
    return MPI_SUCCESS;
}

int __wrap_MPI_Igather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                       int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    bool supported = root == 0 && send_type == type && send_count == count;
    struct collective *collective = supported ? begin(TO_FIRST, count, type, comm, request) : NULL;

    if (collective == NULL) {
        return MPI_ERR_OTHER;
    }
    int rank = collective->rank, most = rank == 0 ? collective->ranks : rank & -rank;
    collective->result = receive;
    hear_of(collective, ranks_below(collective, rank, most), send);
    is_tree_done(collective);
    return MPI_SUCCESS;
}

/* Removes the operation if it is done. */
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
                MPI_Waitall((*link)->requests, (*link)->request, MPI_STATUSES_IGNORE);
            }
            return MPI_SUCCESS;
        }
    }
    return __real_MPI_Wait(request, status);
}
