/* The communicator of the ranks that are left. */
#ifndef MPI_BACKEND_JOB_SURVIVORS_MAKING_H
#define MPI_BACKEND_JOB_SURVIVORS_MAKING_H

#include <mpi.h>

#include "mpi_backend/job/survivors/connected.h"

/* The first rank that is in it. without: 1 for each that is not; one is. */
uint32_t keel_mpi_survivors_first(const unsigned char *without);

/* Whether MPI itself agrees on who is in it, as it makes it (ulfm.h). So on all ranks. Whoever
 * agrees on that once more beforehand waits for those that are at it already. */
bool keel_mpi_survivors_are_mpis(void);

/* Makes it of those that have been agreed on, in the order of their ranks; without: 1 for each of
 * the others. Where MPI agrees on that, it is set to what has come of it. Errors are handled there
 * as the program has it for `comm`. MPI_Comm_create_group() can't be given up: where one of them
 * ends in its course, this process ends, too, with a message, and others see that. */
int keel_mpi_survivors_make(MPI_Comm comm, struct keel_mpi_connected *connected,
                            unsigned char *without, MPI_Comm *survivors);

#endif
