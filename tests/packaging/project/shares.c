/* A loop that all ranks share. */
#include <keel_mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int level, rank;
    long sum = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = keel_mpi_share(MPI_COMM_WORLD);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        sum += i;
    }
    code += keel_mpi_allreduce(&sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d %ld\n", code, sum);
    }
    MPI_Finalize();
    return 0;
}
