/* Ranks with data of their own that compute in steps, each with MPI_Allreduce at its end: the last
 * one has RATIO times the work of the others. steps LOOPS RATIO STEPS: a step has LOOPS loops, of
 * the same iterations together. Prints the mean time of a step, ms, and a sum.
 *
 * With SHARES the loops have static shares as GCC computes them, from thread numbers. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ITERATIONS 3200 /* of a step, each of some 5 us */
#define TERMS 3500

#ifdef SHARES
#define SCHEDULE static
#else
#define SCHEDULE runtime
#endif

static double iteration(void)
{
    double sum = 0;

    for (int i = 1; i <= TERMS; i++) {
        sum += 1.0 / i;
    }
    return sum;
}

static double loop(int iterations)
{
    double sum = 0;

#pragma omp parallel for schedule(SCHEDULE) reduction(+ : sum)
    for (int i = 0; i < iterations; i++) {
        sum += iteration();
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks, level, loops = atoi(argv[1]), ratio = atoi(argv[2]), steps = atoi(argv[3]);
    double sum = 0, all = 0;

    (void)argc;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int iterations = ITERATIONS * (rank == ranks - 1 ? ratio : 1) / loops;
    MPI_Barrier(MPI_COMM_WORLD);
    double start_s = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < loops; i++) {
            sum += loop(iterations);
        }
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    double step_s = (MPI_Wtime() - start_s) / steps;
    if (rank == 0) {
        printf("%.4f %.6g\n", step_s * 1e3, all);
    }
    MPI_Finalize();
    return 0;
}
