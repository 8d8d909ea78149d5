/* Which rank of a node speaks. */
#include "omp_ext/launch.h"

#include <stddef.h>
#include <string.h>

/* A rank's number on its node: Open MPI's mpirun; Slurm's srun; MPICH and MVAPICH2. mpirun within
 * a Slurm job sees the Slurm variables of its own step, so its own come first. */
static const char *const local_ranks[] = {
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "SLURM_LOCALID",
};

bool keel_launch_speaks(const char *(*value_of)(const char *name))
{
    for (size_t i = 0; i < sizeof local_ranks / sizeof local_ranks[0]; i++) {
        const char *rank = value_of(local_ranks[i]);
        if (rank != NULL) {
            return strcmp(rank, "0") == 0;
        }
    }
    return true;
}
