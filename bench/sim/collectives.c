/* Collective operations in the background, for simulated jobs of many ranks.
 *
 * SMPI's MPI_Iallreduce and MPI_Iallgather send a message from each rank to each other one, which
 * takes hours to simulate from 256 ranks on. The linker redirects them to here (smpi.bzl), where
 * they go up and down a binomial tree: 2 (P - 1) messages. They get on while their request is
 * tested. Only what Keel makes of them is supported. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHILDREN_MAX 32
#define TAG_FIRST 1000 /* Keel's letters lie below */
#define TAGS 10000

enum stage { GATHER, REPORT, RECEIVE, HAND_DOWN, DONE };

/* One operation of one rank. Its address stands for the request. */
struct collective {
    struct collective *next;
    MPI_Comm comm;
    int tag, rank, ranks;
    int child[CHILDREN_MAX], children;
    bool gathers; /* else: the maximum of 64-bit numbers */
    size_t size;  /* bytes of one rank */
    char *result;
    char *part; /* maximum: what the children tell */
    enum stage stage;
    MPI_Request request[CHILDREN_MAX];
    int requests; /* of the stage */
};

static struct collective *pending;

int __wrap_MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type,
                          MPI_Op operation, MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Iallgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                          int count, MPI_Datatype type, MPI_Comm comm, MPI_Request *request);
int __real_MPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __wrap_MPI_Test(MPI_Request *request, int *done, MPI_Status *status);

/* --- the tree: below a rank are itself and its neighbours up to its lowest bit --- */

static int parent_of(int rank)
{
    return rank & (rank - 1);
}

/* How many ranks are at `rank` > 0 and below. */
static int ranks_below(const struct collective *collective, int rank)
{
    int size = rank & -rank, left = collective->ranks - rank;

    return size < left ? size : left;
}

static void find_children(struct collective *collective)
{
    int rank = collective->rank;

    for (int step = 1; rank + step < collective->ranks && (rank & step) == 0; step *= 2) {
        collective->child[collective->children++] = rank + step;
    }
}

/* --- messages --- */

static MPI_Request *next_request(struct collective *collective)
{
    return &collective->request[collective->requests++];
}

static void post_receive(struct collective *collective, char *place, size_t bytes, int rank)
{
    MPI_Irecv(place, (int)bytes, MPI_BYTE, rank, collective->tag, collective->comm,
              next_request(collective));
}

static void post_send(struct collective *collective, const char *place, size_t bytes, int rank)
{
    MPI_Isend(place, (int)bytes, MPI_BYTE, rank, collective->tag, collective->comm,
              next_request(collective));
}

static bool are_done(struct collective *collective)
{
    int done = 1;

    if (collective->requests > 0) {
        MPI_Testall(collective->requests, collective->request, &done, MPI_STATUSES_IGNORE);
    }
    return done != 0;
}

/* --- stages --- */

static void gather(struct collective *collective)
{
    for (int i = 0; i < collective->children; i++) {
        int child = collective->child[i];
        if (collective->gathers) {
            size_t size = collective->size;
            post_receive(collective, collective->result + (size_t)child * size,
                         (size_t)ranks_below(collective, child) * size, child);
        } else {
            post_receive(collective, collective->part + (size_t)i * collective->size,
                         collective->size, child);
        }
    }
}

static void take_maxima(struct collective *collective)
{
    size_t numbers = collective->size / sizeof(uint64_t);
    const uint64_t *part = (const uint64_t *)collective->part;
    uint64_t *result = (uint64_t *)collective->result;

    for (size_t i = 0; i < (size_t)collective->children * numbers; i++) {
        result[i % numbers] = part[i] > result[i % numbers] ? part[i] : result[i % numbers];
    }
}

static void report(struct collective *collective)
{
    int rank = collective->rank;
    size_t size = collective->size;

    if (!collective->gathers) {
        take_maxima(collective);
    }
    if (rank > 0 && collective->gathers) {
        post_send(collective, collective->result + (size_t)rank * size,
                  (size_t)ranks_below(collective, rank) * size, parent_of(rank));
    } else if (rank > 0) {
        post_send(collective, collective->result, size, parent_of(rank));
    }
}

static size_t bytes_of_all(const struct collective *collective)
{
    return collective->gathers ? (size_t)collective->ranks * collective->size : collective->size;
}

static void receive(struct collective *collective)
{
    if (collective->rank > 0) {
        post_receive(collective, collective->result, bytes_of_all(collective),
                     parent_of(collective->rank));
    }
}

static void hand_down(struct collective *collective)
{
    for (int i = collective->children; i-- > 0;) {
        post_send(collective, collective->result, bytes_of_all(collective), collective->child[i]);
    }
}

static void (*const begin_stage[])(struct collective *) = {gather, report, receive, hand_down};

static void advance(struct collective *collective)
{
    while (collective->stage != DONE && are_done(collective)) {
        collective->requests = 0;
        if (++collective->stage != DONE) {
            begin_stage[collective->stage](collective);
        }
    }
}

/* --- what the linker redirects --- */

static void begin(struct collective *collective, MPI_Comm comm, MPI_Request *request)
{
    static int begun; /* equal on all ranks that begin the same operations */

    collective->comm = comm;
    collective->tag = TAG_FIRST + begun++ % TAGS;
    MPI_Comm_rank(comm, &collective->rank);
    MPI_Comm_size(comm, &collective->ranks);
    find_children(collective);
    collective->part = calloc((size_t)collective->children + 1, collective->size);
    collective->next = pending;
    pending = collective;
    begin_stage[GATHER](collective);
    *request = (MPI_Request)collective;
}

int __wrap_MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type,
                          MPI_Op operation, MPI_Comm comm, MPI_Request *request)
{
    struct collective *collective = calloc(1, sizeof *collective);

    if (collective == NULL || type != MPI_UINT64_T || operation != MPI_MAX) {
        return MPI_ERR_OTHER;
    }
    collective->size = (size_t)count * sizeof(uint64_t);
    collective->result = memcpy(receive, send, collective->size);
    begin(collective, comm, request);
    return MPI_SUCCESS;
}

int __wrap_MPI_Iallgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                          int count, MPI_Datatype type, MPI_Comm comm, MPI_Request *request)
{
    struct collective *collective = calloc(1, sizeof *collective);
    int rank;

    if (collective == NULL || type != MPI_BYTE || send_type != type || send_count != count) {
        return MPI_ERR_OTHER;
    }
    collective->gathers = true;
    collective->size = (size_t)count;
    collective->result = receive;
    MPI_Comm_rank(comm, &rank);
    memcpy(collective->result + (size_t)rank * collective->size, send, collective->size);
    begin(collective, comm, request);
    return MPI_SUCCESS;
}

/* Removes it if it is done. */
static bool finish(struct collective **link, MPI_Request *request)
{
    struct collective *collective = *link;

    advance(collective);
    if (collective->stage != DONE) {
        return false;
    }
    *link = collective->next;
    free(collective->part);
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
