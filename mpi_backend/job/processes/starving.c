/* Whether a process is left next to nothing. */
#include "mpi_backend/job/processes/starving.h"

bool keel_mpi_starving_look(struct keel_mpi_starving *starving, double time_s,
                            struct keel_mpi_processor now, double limit_s)
{
    double had_s = now.had_s - starving->before.had_s;
    double short_runs =
        (double)(now.runs - starving->before.runs) - had_s / KEEL_MPI_STARVING_RUN_S;
    bool fed = had_s >= KEEL_MPI_STARVING_SHARE * limit_s;
    bool rests = short_runs > starving->looks / 2 + 1;

    if (starving->looks == 0 || fed || rests || !now.wants) {
        *starving = (struct keel_mpi_starving){time_s, now, now.wants ? 1 : 0};
        return false;
    }
    starving->looks++;
    return time_s - starving->began_s >= limit_s && starving->looks > KEEL_MPI_STARVING_LOOKS;
}
