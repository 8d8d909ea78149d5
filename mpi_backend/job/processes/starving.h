/* Whether a load on its machine leaves a process next to nothing: its threads want a processor all
 * the time, and get none. Pure. */
#ifndef MPI_BACKEND_JOB_PROCESSES_STARVING_H
#define MPI_BACKEND_JOB_PROCESSES_STARVING_H

#include <stdbool.h>

#define KEEL_MPI_STARVING_SHARE 0.005 /* of one processor: what is next to nothing */
#define KEEL_MPI_STARVING_LOOKS 8     /* the fewest that tell */

/* All zero at first. */
struct keel_mpi_starving {
    double began_s, processor_s; /* of the time in which it may have been so */
    unsigned looks;              /* in it */
};

/* At a time, in seconds from anywhere, the process has had so much processor time since it began,
 * and a thread of it wants a processor. True: for limit_s seconds it wanted one at each look, and
 * got less than KEEL_MPI_STARVING_SHARE of that time. */
bool keel_mpi_starving_look(struct keel_mpi_starving *starving, double time_s, double processor_s,
                            bool wants, double limit_s);

#endif
