/* Memory that all ranks of MPI_COMM_WORLD share, on one machine, until the job ends. */
#ifndef TESTS_SUPPORT_SHARED_MEMORY_H
#define TESTS_SUPPORT_SHARED_MEMORY_H

#include <mpi.h>
#include <stddef.h>
#include <string.h>

/* So many bytes, all 0. Collective. */
static inline void *shared_memory_open(size_t bytes)
{
    MPI_Aint size;
    MPI_Win window;
    void *own, *shared;
    int unit, rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)bytes : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own,
                            &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &shared);
    if (rank == 0) {
        memset(shared, 0, bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return shared;
}

#endif
