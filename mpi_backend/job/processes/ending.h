/* What becomes of the processes of other ranks that have ended, or that have been stopped for long.
 */
#ifndef MPI_BACKEND_JOB_PROCESSES_ENDING_H
#define MPI_BACKEND_JOB_PROCESSES_ENDING_H

#include "mpi_backend/job/hosts/hosts.h"
#include "mpi_backend/job/processes/processes.h"

/* Whether a rank had ended at each of the last two looks. */
bool keel_mpi_has_lost(const struct keel_mpi_processes *processes);

/* Says who that is, and that `own`, this rank, waits there ("in keel_mpi_gather()"). hosts: of all
 * rank. */
void keel_mpi_say_lost(const struct keel_mpi_processes *processes, uint32_t own, const char *where,
                       const struct keel_mpi_hosts *hosts);

/* own: this rank. With KEEL_MPI_ON_LATE=end it ends the processes on its machine that were stopped
 * at so many looks, each of them `apart_s` after the one before; the next looks find that. So they
 * do not go on later, with what others have done by then in their place. */
void keel_mpi_end_stopped(const struct keel_mpi_processes *processes, uint32_t own,
                          const struct keel_mpi_hosts *hosts, double looks, double apart_s);

/* Ends the process by exit() with KEEL_MPI_RANKS_LOST, once mpirun has passed on what it wrote, as
 * it may not later. */
_Noreturn void keel_mpi_end_heard(void);

#endif
