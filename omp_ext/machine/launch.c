/* Where in a job a process stands. */
#include "omp_ext/machine/launch.h"

#include <stddef.h>
#include <string.h>

/* A rank's number on its node: from Open MPI's mpirun, MVAPICH2, MPICH, and Slurm's srun. A rank
 * of mpirun may have Slurm's variable of the daemon that started it, so that comes last. */
static const char *const local_ranks[] = {
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "SLURM_LOCALID",
};

enum keel_launch keel_launch_role(const char *(*value_of)(const char *name))
{
    for (size_t i = 0; i < sizeof local_ranks / sizeof local_ranks[0]; i++) {
        const char *rank = value_of(local_ranks[i]);
        if (rank != NULL) {
            return strcmp(rank, "0") == 0 ? KEEL_LAUNCH_FIRST : KEEL_LAUNCH_OTHER;
        }
    }
    return KEEL_LAUNCH_ALONE;
}
