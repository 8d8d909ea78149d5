/* Two ranks that meet ten times, or as often as is said: late [TIMES]. Rank 1 comes 50 ms late,
 * from a parallel region. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    int rank, steps = argc > 1 ? atoi(argv[1]) : 10;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
#pragma omp parallel num_threads(1)
        nanosleep(&(struct timespec){.tv_nsec = rank == 1 ? 50000000 : 1000}, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
