/* Shared loops without end: `ended FOLDER`, under mpirun. Once there have been some, each rank
 * makes FOLDER/RANK, which holds the number of the process that has started it. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/nap.h"

static void say_ready(const char *folder, int rank)
{
    char path[4096], ready[4096];

    snprintf(path, sizeof path, "%s/%d.part", folder, rank);
    snprintf(ready, sizeof ready, "%s/%d", folder, rank);
    FILE *file = fopen(path, "w");
    if (file == NULL || fprintf(file, "%d\n", (int)getppid()) < 0 || fclose(file) != 0 ||
        rename(path, ready) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

int main(int argc, char **argv)
{
    int level, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; argc == 2; step++) {
        keel_mpi_share(MPI_COMM_WORLD);
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 40; i++) {
            nap(1000);
        }
        keel_mpi_wait(MPI_COMM_WORLD);
        if (step == 3) {
            say_ready(argv[1], rank);
        }
    }
    return MPI_Finalize();
}
