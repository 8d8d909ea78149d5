/* Shared loops among many ranks of different speed, under simulation.
 *
 *   scale ITERATIONS_PER_RANK FLOPS COSTS SCHEDULE[*INSTANCES]...      one line each
 *
 * COSTS: even, or irregular: drawn for each iteration from an exponential distribution, at least a
 * tenth of the mean FLOPS. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sim/shared_loop.h"
#include "bench/support/random.h"

static double mean_flops;
static bool irregular;

/* A number in (0, 1) for each iteration. */
static double draw(uint64_t iteration)
{
    return random_fraction(random_bits((iteration + 1) * RANDOM_STEP)) + 0x1p-54;
}

static double cost(uint64_t iteration)
{
    return irregular ? mean_flops * (0.1 - 0.9 * log(draw(iteration))) : mean_flops;
}

static void print(const char *schedule, unsigned instance, const struct shared_loop_result *result)
{
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    printf("%5d %-9s %-10s %8u %8.4f %6.3f %6.3f %10lu %8lu %8.2f %4lu  %s\n", ranks,
           irregular ? "irregular" : "even", schedule, instance, result->time_s,
           result->time_s / result->ideal_s, result->work_s / result->ideal_s,
           (unsigned long)result->migrations, (unsigned long)result->migrated,
           (double)result->messages / ranks, (unsigned long)result->messages_max,
           result->exact ? "once" : "WRONG");
}

int main(int argc, char **argv)
{
    bool exact = true;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5) {
        fprintf(stderr, "usage: scale ITERATIONS_PER_RANK FLOPS even|irregular SCHEDULE...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    mean_flops = atof(argv[2]);
    irregular = strcmp(argv[3], "irregular") == 0;
    if (rank == 0) {
        printf("%5s %-9s %-10s %8s %8s %6s %6s %10s %8s %8s %4s  iterations\n", "ranks", "costs",
               "schedule", "instance", "time s", "ratio", "work", "migrations", "migrated",
               "messages", "max");
    }
    for (int i = 4; i < argc; i++) {
        exact = shared_loop_series(argv[i], strtoull(argv[1], NULL, 10) * (uint64_t)ranks, cost,
                                   print) &&
                exact;
    }
    MPI_Finalize();
    return exact ? 0 : 1;
}
