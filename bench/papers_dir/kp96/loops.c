/* Shared loops of Kim & Purtilo's experiments (PAPERS.md K1 to K9) under simulation.
 *
 *   loops COSTS ITERATIONS FLOPS ORDER PIECES SCHEDULE[*INSTANCES]...
 *
 * COSTS of the tasks: even; set: as rows of the Mandelbrot set; sorted: these by falling cost.
 * FLOPS: all of them together. ORDER, which iteration is which task:
 *
 *   rows    as they lie
 *   turns   iterations of rank w's equal block are tasks w, w + P, w + 2 P ... (K8)
 *   speeds  the same in turns by speed: iterations of a rank's block by speed (KEEL_MPI_WEIGHTS)
 *           are tasks that lie evenly among all
 *
 * PIECES: how often a mean iteration looks for letters (keel_mpi_poll); 1: not at all.
 *
 * For each instance:   loop SCHEDULE INSTANCE time-s work-s ideal-s migrations migrated messages
 *                      sizes SIZE:TIMES...       of migrations
 *                      ends S...                 of each rank's last iteration */
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/kp96/set_rows.h"
#include "bench/sim/shared_loop.h"
#include "schedules/balance/amounts.h"

static double *iteration_cost;
static uint64_t tasks;
static int rank, ranks;

static double cost(uint64_t iteration)
{
    return iteration_cost[iteration];
}

/* --- costs --- */

static int by_falling_cost(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left < right) - (left > right);
}

/* Measured once: simulated ranks share one processor. */
static void share_rows(double flops, double *task)
{
    if (rank == 0) {
        set_rows((unsigned)tasks, flops, task);
    }
    MPI_Bcast(task, (int)tasks, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static double *task_costs(const char *costs, double flops)
{
    double *task = malloc(tasks * sizeof *task);

    for (uint64_t i = 0; i < tasks; i++) {
        task[i] = flops / (double)tasks;
    }
    if (strcmp(costs, "even") != 0) {
        share_rows(flops, task);
    }
    if (strcmp(costs, "sorted") == 0) {
        qsort(task, tasks, sizeof *task, by_falling_cost);
    }
    return task;
}

/* --- order --- */

/* An iteration's place among all, 0 to 1, from its place in its block. */
struct place {
    double at;
    uint64_t iteration;
};

static int by_place(const void *a, const void *b)
{
    const struct place *left = a, *right = b;

    if (left->at != right->at) {
        return left->at < right->at ? -1 : 1;
    }
    return (left->iteration > right->iteration) - (left->iteration < right->iteration);
}

/* Deals tasks so that each block gets its part of any stretch of them. first: where blocks begin,
 * ranks + 1 values. */
static void deal(const double *task, const uint64_t *first, double *dealt)
{
    struct place *place = malloc(tasks * sizeof *place);

    for (int w = 0; w < ranks; w++) {
        for (uint64_t i = first[w]; i < first[w + 1]; i++) {
            double part = ((double)(i - first[w]) + 0.5) / (double)(first[w + 1] - first[w]);
            place[i] = (struct place){part, i};
        }
    }
    qsort(place, tasks, sizeof *place, by_place);
    for (uint64_t i = 0; i < tasks; i++) {
        dealt[place[i].iteration] = task[i];
    }
    free(place);
}

/* Operations per second of each host. */
static double *measure_speeds(void)
{
    double *speed = malloc((size_t)ranks * sizeof *speed);
    double began = MPI_Wtime();

    smpi_execute_flops(1e6);
    double own = 1e6 / (MPI_Wtime() - began);
    MPI_Allgather(&own, 1, MPI_DOUBLE, speed, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    return speed;
}

static double *put_in_order(const char *order, double *task)
{
    uint64_t *first = malloc(((size_t)ranks + 1) * sizeof *first);
    double *dealt = malloc(tasks * sizeof *dealt), *speed = NULL;

    if (strcmp(order, "rows") == 0) {
        memcpy(dealt, task, tasks * sizeof *dealt);
    } else {
        speed = strcmp(order, "speeds") == 0 ? measure_speeds() : NULL;
        keel_amounts_first_blocks(tasks, (uint32_t)ranks, speed, first);
        deal(task, first, dealt);
    }
    free(speed);
    free(first);
    free(task);
    return dealt;
}

/* --- loops --- */

static void print(const char *schedule, unsigned instance, const struct shared_loop_result *result,
                  const double *end)
{
    printf("loop %s %u %.4f %.4f %.4f %lu %lu %lu\nsizes", schedule, instance, result->time_s,
           result->work_s, result->ideal_s, (unsigned long)result->migrations,
           (unsigned long)result->migrated, (unsigned long)result->messages);
    for (unsigned size = 1; size < SHARED_LOOP_SIZES; size++) {
        if (result->size[size] > 0) {
            printf(" %u:%lu", size, (unsigned long)result->size[size]);
        }
    }
    printf("\nends");
    for (int i = 0; i < ranks; i++) {
        printf(" %.4f", end[i]);
    }
    printf("\n");
    fflush(stdout);
}

/* Whether every iteration was executed once. */
static bool run(const char *text)
{
    static struct shared_loop_result result;
    char schedule[100];
    unsigned instances = 1;
    bool exact = true;
    double *end = malloc((size_t)ranks * sizeof *end);
    MPI_Comm comm;

    sscanf(text, "%99[^*]*%u", schedule, &instances);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (unsigned instance = 1; instance <= instances; instance++) {
        shared_loop_run(comm, schedule, tasks, cost, &result);
        MPI_Gather(&result.own_s, 1, MPI_DOUBLE, end, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        exact = exact && result.exact && result.code == 0;
        if (rank == 0) {
            print(schedule, instance, &result, end);
        }
    }
    MPI_Comm_free(&comm);
    free(end);
    return exact;
}

int main(int argc, char **argv)
{
    bool exact = true;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 7) {
        fprintf(stderr, "usage: loops COSTS ITERATIONS FLOPS ORDER PIECES SCHEDULE...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    tasks = strtoull(argv[2], NULL, 10);
    double flops = atof(argv[3]), pieces = atof(argv[5]);
    iteration_cost = put_in_order(argv[4], task_costs(argv[1], flops));
    shared_loop_piece = pieces > 1 ? flops / (double)tasks / pieces : 0;
    for (int i = 6; i < argc; i++) {
        exact = run(argv[i]) && exact;
    }
    if (!exact && rank == 0) {
        printf("WRONG: some iteration was not executed once\n");
    }
    MPI_Finalize();
    return exact ? 0 : 1;
}
