/* What becomes of the processes of other ranks on this machine that have ended, or that have been
 * stopped by a signal for long. */
#ifndef MPI_BACKEND_JOB_PROCESSES_ENDING_H
#define MPI_BACKEND_JOB_PROCESSES_ENDING_H

#include "mpi_backend/job/processes/processes.h"

/* Says that `own`, this rank, waits there ("in keel_mpi_gather()") for `rank`, one of `processes`,
 * which has ended. host: of each rank. */
void keel_mpi_say_ended(const struct keel_mpi_processes *processes, uint32_t own, const char *where,
                        uint32_t rank, const char (*host)[KEEL_MPI_HOST_MAX]);

/* own: this rank. With KEEL_MPI_ON_LATE=end, ends the processes that were stopped at so many looks,
 * each of them `apart_s` after the one before, as others can't go on without them: the next looks
 * find that they have ended. A process that has been ended does not go on later, with what others
 * have done by then in its place. */
void keel_mpi_end_stopped(const struct keel_mpi_processes *processes, uint32_t own,
                          const char (*host)[KEEL_MPI_HOST_MAX], double looks, double apart_s);

#endif
