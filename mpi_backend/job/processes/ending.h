/* What becomes of the processes of other ranks that have ended, or that have been stopped for long.
 */
#ifndef MPI_BACKEND_JOB_PROCESSES_ENDING_H
#define MPI_BACKEND_JOB_PROCESSES_ENDING_H

#include "mpi_backend/job/hosts/hosts.h"
#include "mpi_backend/job/processes/processes.h"

/* Says which rank has ended, as keel_mpi_processes_lost() has it, and that `own`, this rank, waits
 * there ("in keel_mpi_gather()"). hosts: of all ranks. */
void keel_mpi_say_lost(const struct keel_mpi_processes *processes, uint32_t own, const char *where,
                       const struct keel_mpi_hosts *hosts);

/* own: this rank. With KEEL_MPI_ON_LATE=end it ends the processes on its machine that were stopped
 * at so many looks, each of them `apart_s` after the one before; the next looks find that. So they
 * do not go on later, with what others have done by then in their place. */
void keel_mpi_end_stopped(const struct keel_mpi_processes *processes, uint32_t own,
                          const struct keel_mpi_hosts *hosts, double looks, double apart_s);

#endif
