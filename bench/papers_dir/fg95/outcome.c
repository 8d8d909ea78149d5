#include "bench/papers_dir/fg95/outcome.h"

#include <mpi.h>
#include <smpi/smpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/end_job.h"

/* --- places --- */

struct place {
    int64_t number;
    double at[2];
};

size_t place_size(size_t bytes)
{
    return bytes > sizeof(struct place) ? bytes : sizeof(struct place);
}

void places_pack(const struct particle *own, int count, size_t bytes, char *message)
{
    for (int p = 0; p < count; p++) {
        struct place place = {own[p].number, {own[p].at[0], own[p].at[1]}};
        memcpy(message + (size_t)p * place_size(bytes), &place, sizeof place);
    }
}

void places_know(struct tree *tree, const char *places, size_t count, size_t bytes)
{
    for (size_t p = 0; p < count; p++) {
        struct place place;
        memcpy(&place, places + p * place_size(bytes), sizeof place);
        memcpy(tree->at[place.number], place.at, sizeof place.at);
    }
}

/* --- records --- */

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
    char *sorted = memory_new(count, size);
    int *next = memory_new(ranks, sizeof *next);

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

/* Sends record i, of `size` bytes at records + i * size, to rank to[i]; those for a rank stay in
 * their order. *arrived gets those for this rank, in the order of who sent them. */
static int route(const void *records, int count, size_t size, const int *to, void **arrived)
{
    MPI_Datatype record = record_of(size);
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *part = memory_new(4 * ranks, sizeof *part);
    int *sent = part, *send_at = part + ranks, *got = part + 2 * ranks, *get_at = part + 3 * ranks;
    for (int i = 0; i < count; i++) {
        sent[to[i]]++;
    }
    MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    begins(ranks, sent, send_at);
    int coming = begins(ranks, got, get_at);

    void *going = in_order(records, count, size, to, ranks, send_at);
    *arrived = memory_new(coming, size);
    MPI_Alltoallv(going, sent, send_at, record, *arrived, got, get_at, record, MPI_COMM_WORLD);
    MPI_Type_free(&record);
    free(going);
    free(part);
    return coming;
}

int particles_drift(struct particle *own, int count, double time, particle_owner *owner,
                    void *context)
{
    struct particle *leaving = memory_new(count, sizeof *leaving), *arrived;
    int *to = memory_new(count, sizeof *to), gone = 0, rank;

    for (int p = 0; p < count; p++) {
        particle_kick(&own[p], time);
        particle_drift(&own[p], time);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int p = 0; p < count;) {
        to[gone] = owner(context, &own[p]);
        if (to[gone] == rank) {
            p++;
        } else {
            leaving[gone++] = own[p];
            own[p] = own[--count];
        }
    }
    int coming = route(leaving, gone, sizeof *leaving, to, (void **)&arrived);
    memcpy(&own[count], arrived, (size_t)coming * sizeof *own);
    free(arrived);
    free(to);
    free(leaving);
    return count + coming;
}

int route_to_all(const void *records, int count, size_t size, void **arrived)
{
    MPI_Datatype record = record_of(size);
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *part = memory_new(2 * ranks, sizeof *part);
    int *got = part, *get_at = part + ranks;
    MPI_Allgather(&count, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    int coming = begins(ranks, got, get_at);

    *arrived = memory_new(coming, size);
    MPI_Allgatherv(records, count, record, *arrived, got, get_at, record, MPI_COMM_WORLD);
    MPI_Type_free(&record);
    free(part);
    return coming;
}

/* --- the outcome --- */

struct outcome outcome_open(int steps, int particles)
{
    return (struct outcome){
        .steps = steps,
        .particles = particles,
        .busy_s = memory_new(steps, sizeof(double)),
        .computed = memory_new(steps, sizeof(int)),
    };
}

void outcome_compute(struct outcome *outcome, int step, const struct tree *tree,
                     struct particle *own, int count, double flops)
{
    double began_s = MPI_Wtime();

    for (int p = 0; p < count; p++) {
        tree_pull(tree, 0.5, &own[p]);
    }
    if (count > 0) {
        smpi_execute_flops(count * flops);
    }
    outcome->busy_s[step] = MPI_Wtime() - began_s;
    outcome->computed[step] = count;
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = ((const struct particle *)a)->number, y = ((const struct particle *)b)->number;

    return (x > y) - (x < y);
}

static uint64_t digest(const struct particle *own, int own_count)
{
    struct particle *all;
    int count = route_to_all(own, own_count, sizeof *all, (void **)&all);
    uint64_t hash = 0xcbf29ce484222325u;

    qsort(all, (size_t)count, sizeof *all, compare_numbers);
    for (size_t byte = 0; byte < (size_t)count * sizeof *all; byte++) {
        hash = (hash ^ ((unsigned char *)all)[byte]) * 0x100000001b3u;
    }
    free(all);
    return hash;
}

static bool computed_all(const struct outcome *outcome)
{
    int *sum = memory_new(outcome->steps, sizeof *sum);
    bool all = true;

    MPI_Allreduce(outcome->computed, sum, outcome->steps, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int step = 0; step < outcome->steps; step++) {
        all = all && sum[step] == outcome->particles;
    }
    free(sum);
    return all;
}

static double longest_computing(const struct outcome *outcome)
{
    double *most = memory_new(outcome->steps, sizeof *most), sum = 0;

    MPI_Allreduce(outcome->busy_s, most, outcome->steps, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int step = 0; step < outcome->steps; step++) {
        sum += most[step];
    }
    free(most);
    return sum;
}

bool outcome_print(const struct outcome *outcome, double time_s, const struct particle *own,
                   int count)
{
    double longest_s = longest_computing(outcome);
    uint64_t hash = digest(own, count);
    bool all = computed_all(outcome);
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        printf("%d %.6f %.6f %016lx %s\n", ranks, time_s, longest_s, (unsigned long)hash,
               all ? "all" : "WRONG");
    }
    return all;
}

void outcome_close(struct outcome *outcome)
{
    free(outcome->busy_s);
    free(outcome->computed);
}
