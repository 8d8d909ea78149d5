/* A rank gives up just as another one begins to copy the communicator that they have, as
 * keel_mpi_pipeline_create() does: `given_up`, under mpirun, two ranks. Says what is wrong; the
 * exit status is 7 if nothing is, as what ranks print just before MPI_Abort() may be lost. */
#include <mpi.h>

#include "mpi_backend/job/peers.h"
#include "tests/support/check.h"

int main(int argc, char **argv)
{
    struct keel_mpi_peers peers;
    MPI_Comm own, copy;
    int rank, wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    CHECK(keel_mpi_peers_open(&peers, own) == KEEL_MPI_OK, "opening");
    if (rank == 0) {
        keel_mpi_peers_fail(&peers, KEEL_MPI_LATE);
    } else {
        int code = keel_mpi_communicator_copy_own(&peers, "in a test", &copy);
        CHECK(code == KEEL_MPI_LATE, "rank %d gets %d", rank, code);
        CHECK(copy == MPI_COMM_NULL, "rank %d has a copy", rank);
    }
    wrong = check_status() != 0;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, wrong ? 1 : 7); /* as one is in the middle of an operation */
}
