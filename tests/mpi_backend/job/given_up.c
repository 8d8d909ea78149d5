/* Copies of communicators that ranks give up: `given_up own` or `given_up half`, under mpirun, two
 * ranks. Says what is wrong; the exit status is 7 if nothing is, as what ranks print just before
 * MPI_Abort() may be lost. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/job/peers.h"
#include "tests/support/checks.h"

/* A rank gives up just as another one begins to copy the communicator that they have, as
 * keel_mpi_pipeline_create() does. */
static void copy_own(MPI_Comm own, int rank)
{
    struct keel_mpi_peers peers;
    MPI_Comm copy;

    CHECK(keel_mpi_peers_open(&peers, own) == KEEL_MPI_OK, "opening");
    if (rank == 0) {
        keel_mpi_peers_fail(&peers, KEEL_MPI_LATE);
    } else {
        int code = keel_mpi_peers_copy(&peers, "in a test", &copy);
        CHECK(code == KEEL_MPI_LATE, "rank %d gets %d", rank, code);
        CHECK(copy == MPI_COMM_NULL, "rank %d has a copy", rank);
    }
}

/* A rank comes so late where the first copy is made that the other one has given it up, and is in
 * MPI_Finalize(). */
static void leave_half(MPI_Comm own, int rank)
{
    struct keel_mpi_peers peers;

    if (rank == 0) {
        sleep(3); /* more than the deadline of the test */
        keel_mpi_peers_open(&peers, own);
    } else {
        CHECK(keel_mpi_peers_open(&peers, own) == KEEL_MPI_LATE, "a rank has not come");
    }
}

int main(int argc, char **argv)
{
    MPI_Comm own;
    int rank, wrong;
    bool half = argc > 1 && strcmp(argv[1], "half") == 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    (half ? leave_half : copy_own)(own, rank);
    wrong = check_status() != 0;
    if (!half) {
        MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, wrong ? 1 : 7); /* as one is in the middle of an operation */
    }
    MPI_Finalize();
    return wrong ? 1 : 7;
}
