/* A loop that ranks share, of which the last iterations take longest: equal shares are bad.
 * Iterations sleep. */
#include <keel_mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int level, rank;
    long count = 0, all = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    keel_mpi_share(MPI_COMM_WORLD);
#pragma omp parallel for schedule(runtime) reduction(+ : count)
    for (int i = 0; i < 40; i++) {
        usleep(i < 20 ? 1000 : 20000);
        count++;
    }
    MPI_Reduce(&count, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%ld iterations\n", all);
    }
    return MPI_Finalize();
}
