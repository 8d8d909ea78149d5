/* A program whose MPI may be another one than the library's: the library refuses, and what the
 * program does by itself goes on.
 *
 *     mix CODE      what the library is expected to return */
#include <stdlib.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/checks.h"

int main(int argc, char **argv)
{
    int code = atoi(argv[argc - 1]), ranks, sum = 0, one = 1, value = 7;
    struct keel_mpi_loop *loop = NULL;
    struct keel_mpi_rows *rows;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(keel_mpi_loop_begin(MPI_COMM_WORLD, 100, 0, &loop) == code, "keel_mpi_loop_begin()");
    if (code == KEEL_MPI_OK) {
        keel_mpi_loop_end(&loop);
    }
    if (code != KEEL_MPI_OK) {
        CHECK(keel_mpi_share(MPI_COMM_WORLD) == code, "keel_mpi_share()");
        CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, 10, 0, &rows) == code, "keel_mpi_rows_create()");
        CHECK(keel_mpi_allreduce(&value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == code,
              "keel_mpi_allreduce()");
        CHECK(keel_mpi_wait(MPI_COMM_WORLD) == code, "keel_mpi_wait()");
        CHECK(value == 7, "a value has changed");
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == ranks, "the program's MPI: %d of %d ranks", sum, ranks);
    MPI_Finalize();
    return check_status();
}
