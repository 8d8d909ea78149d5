/* When rows that have moved come to count. */
#include "mpi_backend/rows/commit.h"

enum keel_mpi_commit keel_mpi_commit_next(enum keel_mpi_commit state, bool well)
{
    switch (state) {
    case KEEL_MPI_COMMIT_MOVING:
        return KEEL_MPI_COMMIT_READY; /* where it says what is wrong */
    case KEEL_MPI_COMMIT_READY:
        return well ? KEEL_MPI_COMMIT_BOUND : KEEL_MPI_COMMIT_KEPT;
    case KEEL_MPI_COMMIT_BOUND:
        return well ? KEEL_MPI_COMMIT_TAKEN : KEEL_MPI_COMMIT_KEPT;
    case KEEL_MPI_COMMIT_TAKEN:
    case KEEL_MPI_COMMIT_KEPT:
        break;
    }
    return state;
}

bool keel_mpi_commit_may_withdraw(enum keel_mpi_commit state)
{
    return state == KEEL_MPI_COMMIT_MOVING || state == KEEL_MPI_COMMIT_READY;
}
