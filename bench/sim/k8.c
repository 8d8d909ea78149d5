/* Kim & Purtilo's experiment (papers/README.md K8) under simulation: rows of a Mandelbrot set as
 * tasks, dealt to 16 machines in turns.
 *
 *   k8 SCHEDULE[*INSTANCES]...      one line each, then the sizes of its migrations
 *
 * All rows together are 1e9 floating-point operations: a host of 1e9 / t of these a second needs t
 * seconds for the whole set. The window [0.5, -1.8] to [1.2, -1.2] is read as the intervals of the
 * real and of the imaginary part, which hold the set; as two corners it would hold none of it. */
#include <stdio.h>

#include "bench/sim/shared_loop.h"

#define ROWS 800
#define COLUMNS 800
#define DEPTH 1000 /* steps until a point counts as one of the set; the paper states none */
#define WORK 1e9

static double row_cost[ROWS];
static int ranks;

static unsigned steps(double x, double y)
{
    double re = 0, im = 0;
    unsigned step = 0;

    while (step < DEPTH && re * re + im * im <= 4) {
        double next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
        step++;
    }
    return step;
}

static void measure_rows(void)
{
    for (int row = 0; row < ROWS; row++) {
        double y = 1.2 - 2.4 * (row + 0.5) / ROWS;
        for (int column = 0; column < COLUMNS; column++) {
            row_cost[row] += steps(-1.8 + 2.3 * (column + 0.5) / COLUMNS, y);
        }
    }
}

/* Measured once: simulated ranks share one processor. */
static void share_rows(int rank)
{
    double total = 0;

    if (rank == 0) {
        measure_rows();
    }
    MPI_Bcast(row_cost, ROWS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int row = 0; row < ROWS; row++) {
        total += row_cost[row];
    }
    for (int row = 0; row < ROWS; row++) {
        row_cost[row] *= WORK / total;
    }
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
