#include "bench/papers_dir/fg95/route.h"

#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"

/* Where each rank's part begins; returns the sum. */
static int begins(int ranks, const int *count, int *begin)
{
    int sum = 0;

    for (int rank = 0; rank < ranks; rank++) {
        begin[rank] = sum;
        sum += count[rank];
    }
    return sum;
}

/* Copies records into the order of the ranks that they go to. */
static void *in_order(const char *records, int count, size_t size, const int *to, int ranks,
                      const int *begin)
{
    char *sorted = app_room((uint64_t)count, size);
    int *next = app_room((uint64_t)ranks, sizeof *next);

    memcpy(next, begin, (size_t)ranks * sizeof *next);
    for (int i = 0; i < count; i++) {
        memcpy(&sorted[(size_t)next[to[i]]++ * size], &records[(size_t)i * size], size);
    }
    free(next);
    return sorted;
}

static MPI_Datatype record_of(size_t size)
{
    MPI_Datatype record;

    MPI_Type_contiguous((int)size, MPI_BYTE, &record);
    MPI_Type_commit(&record);
    return record;
}

int route(MPI_Comm comm, const void *records, int count, size_t size, const int *to, void **arrived)
{
    MPI_Datatype record = record_of(size);
    int ranks;

    MPI_Comm_size(comm, &ranks);
    int *part = app_room(4 * (uint64_t)ranks, sizeof *part);
    int *sent = part, *send_at = part + ranks, *got = part + 2 * ranks, *get_at = part + 3 * ranks;
    for (int i = 0; i < count; i++) {
        sent[to[i]]++;
    }
    MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, comm);
    begins(ranks, sent, send_at);
    int coming = begins(ranks, got, get_at);

    void *going = in_order(records, count, size, to, ranks, send_at);
    *arrived = app_room((uint64_t)coming, size);
    MPI_Alltoallv(going, sent, send_at, record, *arrived, got, get_at, record, comm);
    MPI_Type_free(&record);
    free(going);
    free(part);
    return coming;
}

int route_to_all(MPI_Comm comm, const void *records, int count, size_t size, void **arrived)
{
    MPI_Datatype record = record_of(size);
    int ranks;

    MPI_Comm_size(comm, &ranks);
    int *part = app_room(2 * (uint64_t)ranks, sizeof *part);
    int *got = part, *get_at = part + ranks;
    MPI_Allgather(&count, 1, MPI_INT, got, 1, MPI_INT, comm);
    int coming = begins(ranks, got, get_at);

    *arrived = app_room((uint64_t)coming, size);
    MPI_Allgatherv(records, count, record, *arrived, got, get_at, record, comm);
    MPI_Type_free(&record);
    free(part);
    return coming;
}
