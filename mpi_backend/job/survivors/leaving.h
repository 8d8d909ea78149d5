/* How a process ends that has gone on without other ranks.
 *
 *   keel_mpi_survivors() -> MPI_Finalize() begins -> what is Keel's ends -> exit()
 *
 * MPI_Finalize() of Open MPI 4.1 waits for all ranks that there ever were: it would never return.
 * */
#ifndef MPI_BACKEND_JOB_SURVIVORS_LEAVING_H
#define MPI_BACKEND_JOB_SURVIVORS_LEAVING_H

#include <stdbool.h>

/* Some ranks will not come to MPI_Finalize(): it ends the process by exit() with
 * KEEL_MPI_RANKS_LOST, and says so if this rank `tells`. */
void keel_mpi_leave_at_finalize(bool tells);

#endif
