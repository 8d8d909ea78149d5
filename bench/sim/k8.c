/* Kim & Purtilo's experiment (PAPERS.md K8) under simulation: rows of a Mandelbrot set as
 * tasks, dealt to 16 machines in turns.
 *
 *   k8 SCHEDULE[*INSTANCES]...      one line each, then the sizes of its migrations
 *
 * All rows together are 1e9 floating-point operations: a host of 1e9 / t of these a second needs t
 * seconds for the whole set. */
#include <stdio.h>

#include "bench/sim/set_rows.h"
#include "bench/sim/shared_loop.h"

#define ROWS 800
#define WORK 1e9

static double row_cost[ROWS];
static int ranks;

/* Measured once: simulated ranks share one processor. */
static void share_rows(int rank)
{
    if (rank == 0) {
        set_rows(ROWS, WORK, row_cost);
    }
    MPI_Bcast(row_cost, ROWS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* A block of ROWS / ranks iterations is one row of every `ranks`. */
static double cost(uint64_t iteration)
{
    uint64_t turns = ROWS / (uint64_t)ranks;

    return row_cost[iteration % turns * (uint64_t)ranks + iteration / turns];
}

static void print_sizes(const struct shared_loop_result *result)
{
    printf("  sizes:");
    for (unsigned size = 1; size < SHARED_LOOP_SIZES; size++) {
        if (result->size[size] > 0) {
            printf(" %u:%lu", size, (unsigned long)result->size[size]);
        }
    }
    printf("\n");
}

static void print(const char *schedule, unsigned instance, const struct shared_loop_result *result)
{
    printf("%-18s %8u %8.2f %6.3f %6.3f %10lu %8lu %8lu %4lu  %s\n", schedule, instance,
           result->time_s, result->time_s / result->ideal_s, result->work_s / result->ideal_s,
           (unsigned long)result->migrations, (unsigned long)result->migrated,
           (unsigned long)result->messages, (unsigned long)result->messages_max,
           result->exact ? "once" : "WRONG");
    if (result->migrations > 0) {
        print_sizes(result);
    }
}

int main(int argc, char **argv)
{
    bool exact = true;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    share_rows(rank);
    if (rank == 0) {
        printf("%-18s %8s %8s %6s %6s %10s %8s %8s %4s  rows\n", "schedule", "instance", "time s",
               "ratio", "work", "migrations", "migrated", "messages", "max");
    }
    for (int i = 1; i < argc; i++) {
        exact = shared_loop_series(argv[i], ROWS, cost, print) && exact;
    }
    MPI_Finalize();
    return exact ? 0 : 1;
}
