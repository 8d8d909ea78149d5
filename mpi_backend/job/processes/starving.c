/* Whether a process is left next to nothing. */
#include "mpi_backend/job/processes/starving.h"

bool keel_mpi_starving_look(struct keel_mpi_starving *starving, double time_s, double processor_s,
                            bool wants, double limit_s)
{
    bool fed = processor_s - starving->processor_s >= KEEL_MPI_STARVING_SHARE * limit_s;

    if (starving->looks == 0 || fed || !wants) {
        *starving = (struct keel_mpi_starving){time_s, processor_s, wants ? 1 : 0};
        return false;
    }
    starving->looks++;
    return time_s - starving->began_s >= limit_s && starving->looks > KEEL_MPI_STARVING_LOOKS;
}
