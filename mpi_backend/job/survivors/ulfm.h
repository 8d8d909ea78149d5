/* What MPI itself tells of ranks that have ended, where it goes on then: User-Level Failure
 * Mitigation, which Open MPI 5 has under mpirun --with-ft ulfm. By any other MPI nothing is told.
 * Any thread that may call MPI. */
#ifndef MPI_BACKEND_JOB_SURVIVORS_ULFM_H
#define MPI_BACKEND_JOB_SURVIVORS_ULFM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/hosts.h"
#include "mpi_backend/job/processes/processes.h"

/* Whether a call over `comm` (MPI_COMM_NULL: over none) that returned that has failed as the
 * process of a rank has ended. */
bool keel_mpi_ulfm_tells_loss(int returned, MPI_Comm comm);

/* The same; if so, receives from any rank of it work again. */
bool keel_mpi_ulfm_passes_over(int returned, MPI_Comm comm);

/* Whether MPI goes on when ranks end. The same on all ranks. Then ranks that are left agree over a
 * communicator on which nothing is collective: where a rank has ended, Open MPI 5.0 drops messages
 * of collective operations without counting them, so that all that the same sender sends over the
 * same communicator afterwards waits for them, for ever. */
bool keel_mpi_ulfm_is_on(void);

/* Where that is so: makes the communicator of the ranks of `comm` whose processes have not ended,
 * which all of these call. MPI agrees on who that is, also where more end in its course; without:
 * for each rank of `comm`, 1: it is out. Returns what MPI does. MPI_Comm_create_group() refuses
 * that. */
int keel_mpi_ulfm_shrink(MPI_Comm comm, unsigned char *without, MPI_Comm *left);

/* Says in which call rank `own` learns that one of `comm` has ended. host: of each rank, or NULL.
 * False: nothing is said, as that one is not known. */
bool keel_mpi_ulfm_say_lost(MPI_Comm comm, uint32_t own, const struct keel_mpi_hosts *hosts,
                            const char *call);

/* Sets known[i] to 1 for each rank of `comm` that has ended. Returns whether one is new. */
bool keel_mpi_ulfm_learn(MPI_Comm comm, unsigned char *known);

#endif
