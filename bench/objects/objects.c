/* The cost of objects that move, and how well they balance: `objects local | remote | slow |
 * balanced`, under mpirun. Work is time by the wall clock, so that each rank needs a core.
 *
 *     objects local                          one rank: ns for a message to an object of the rank
 *     objects remote                         two ranks: us for a message to an object of the other
 *                                            one, beside one of MPI
 *     objects slow COUNT MS BYTES PHASES     the last rank three times slower; time of each phase
 *                                            relative to the ideal
 *     objects balanced COUNT MS PHASES       equal ranks: time relative to a plain loop */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/end_job.h"
#include "bench/support/support.h"
#include "mpi_backend/include/keel_mpi.h"

static int rank, ranks;
static double work_s; /* of an object, on this rank */
static size_t bytes;

static double now_s(void)
{
    return now_ns() * 1e-9;
}

static void spin(double s)
{
    for (double end_s = now_s() + s; now_s() < end_s;) {
    }
}

/* --- objects --- */

static size_t size(void *context, uint64_t index, const void *data)
{
    (void)context;
    (void)index;
    (void)data;
    return bytes;
}

static int pack(void *context, uint64_t index, const void *data, void *buffer)
{
    (void)context;
    (void)index;
    memcpy(buffer, data, bytes);
    return 0;
}

static int unpack(void *context, uint64_t index, const void *buffer, size_t given, void **data)
{
    (void)context;
    (void)index;
    *data = malloc(given);
    memcpy(*data, buffer, given);
    return 0;
}

static void drop(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)index;
    free(data);
}

static void compute(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)index;
    (void)data;
    spin(work_s);
}

/* --- messages of one rank --- */

#define OBJECTS 1000

static struct keel_mpi_objects *set;

static void hop(void *context, uint64_t index, void *data, const void *message, size_t length)
{
    uint64_t left = *(const uint64_t *)message - 1;

    (void)context;
    (void)data;
    (void)length;
    if (left > 0) {
        keel_mpi_objects_send(set, (index * 7 + 1) % OBJECTS, 0, &left, sizeof left);
    }
}

static keel_mpi_objects_handler *handlers[] = {hop};

static void open_set(void)
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                   .size = size,
                                                   .pack = pack,
                                                   .unpack = unpack,
                                                   .drop = drop,
                                                   .handler = handlers,
                                                   .handlers = 1};

    job_check(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &set));
}

static void insert(uint64_t index)
{
    job_check(keel_mpi_objects_insert(set, index, memory_new(1, bytes > 0 ? bytes : 1)));
}

/* Inserts `count` objects, dealt in turns. */
static void insert_all(uint64_t count)
{
    for (uint64_t i = (uint64_t)rank; i < count; i += (uint64_t)ranks) {
        insert(i);
    }
}

static void measure_local(void)
{
    uint64_t count = 2000, chains = 500;

    open_set();
    insert_all(OBJECTS);
    for (int i = 0; i < 5; i++) {
        double began_s = now_s();
        for (uint64_t chain = 0; chain < chains; chain++) {
            keel_mpi_objects_send(set, chain, 0, &count, sizeof count);
        }
        keel_mpi_objects_wait(set);
        if (rank == 0) {
            printf("%.1f ns for a message\n", (now_s() - began_s) * 1e9 / (double)(count * chains));
        }
    }
    keel_mpi_objects_destroy(&set);
}

/* --- messages between two ranks --- */

#define HOPS 20000

/* Time of one half of an MPI ping-pong. */
static double mpi_hop_s(void)
{
    uint64_t message[7] = {0}; /* as long as a message of Keel with its payload */
    int other = 1 - rank;

    MPI_Barrier(MPI_COMM_WORLD);
    double began_s = now_s();
    for (int i = 0; i < HOPS / 2; i++) {
        if (rank == 0) {
            MPI_Send(message, sizeof message, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        }
        MPI_Recv(message, sizeof message, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) {
            MPI_Send(message, sizeof message, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        }
    }
    return (now_s() - began_s) / HOPS;
}

/* Between object 0 on rank 0 and object 1 on rank 1. */
static void hop_over(void *context, uint64_t index, void *data, const void *message, size_t length)
{
    uint64_t left = *(const uint64_t *)message - 1;

    (void)context;
    (void)data;
    (void)length;
    if (left > 0) {
        keel_mpi_objects_send(set, 1 - index, 0, &left, sizeof left);
    }
}

static double object_hop_s(void)
{
    uint64_t left = HOPS;

    MPI_Barrier(MPI_COMM_WORLD);
    double began_s = now_s();
    if (rank == 0) {
        keel_mpi_objects_send(set, 1, 0, &left, sizeof left);
    }
    keel_mpi_objects_wait(set);
    return (now_s() - began_s) / HOPS;
}

static void measure_remote(void)
{
    handlers[0] = hop_over;
    open_set();
    keel_mpi_objects_set_balance(set, "off");
    insert((uint64_t)rank);
    object_hop_s(); /* untimed: afterwards the ranks know where objects are */
    for (int i = 0; i < 5; i++) {
        double mpi_s = mpi_hop_s(), object_s = object_hop_s();
        if (rank == 0) {
            printf("%.2f us for a message, %.2f us for one of MPI: %.2f us more\n", object_s * 1e6,
                   mpi_s * 1e6, (object_s - mpi_s) * 1e6);
        }
    }
    keel_mpi_objects_destroy(&set);
}

/* --- balancing --- */

static double phase_s(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double began_s = now_s();
    keel_mpi_objects_each(set, compute);
    return now_s() - began_s;
}

static void measure_slow(uint64_t count, double object_s, int phases)
{
    double ideal_s = object_s * (double)count / (ranks - 1 + 1.0 / 3);

    work_s = rank == ranks - 1 ? 3 * object_s : object_s;
    open_set();
    insert_all(count);
    for (int i = 0; i < phases; i++) {
        double took_s = phase_s();
        if (rank == 0) {
            printf("phase %d: %.1f ms, %.3f of ideal\n", i + 1, took_s * 1e3, took_s / ideal_s);
        }
    }
    keel_mpi_objects_destroy(&set);
}

static double loop_s(uint64_t count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double began_s = now_s();
    for (uint64_t i = (uint64_t)rank; i < count; i += (uint64_t)ranks) {
        compute(NULL, i, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return now_s() - began_s;
}

static void measure_balanced(uint64_t count, double object_s, int phases)
{
    work_s = object_s;
    open_set();
    insert_all(count);
    for (int i = 0; i < phases; i++) {
        double plain_s = loop_s(count), took_s = phase_s();
        if (rank == 0) {
            printf("phase %d: %.2f ms, plain loop %.2f ms: %.4f\n", i + 1, took_s * 1e3,
                   plain_s * 1e3, took_s / plain_s);
        }
    }
    keel_mpi_objects_destroy(&set);
}

int main(int arguments, char **argument)
{
    int level;

    MPI_Init_thread(&arguments, &argument, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (arguments == 2 && strcmp(argument[1], "local") == 0) {
        measure_local();
    } else if (arguments == 2 && strcmp(argument[1], "remote") == 0 && ranks == 2) {
        measure_remote();
    } else if (arguments == 6 && strcmp(argument[1], "slow") == 0) {
        bytes = strtoul(argument[4], NULL, 10);
        measure_slow(strtoul(argument[2], NULL, 10), atof(argument[3]) * 1e-3, atoi(argument[5]));
    } else if (arguments == 5 && strcmp(argument[1], "balanced") == 0) {
        measure_balanced(strtoul(argument[2], NULL, 10), atof(argument[3]) * 1e-3,
                         atoi(argument[4]));
    } else if (rank == 0) {
        fprintf(stderr, "usage: objects local | remote | slow COUNT MS BYTES PHASES | "
                        "balanced COUNT MS PHASES\n");
    }
    return MPI_Finalize();
}
