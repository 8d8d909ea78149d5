/* Which loops of a job are on their way on this rank. */
#ifndef MPI_BACKEND_LOOP_RUNNING_H
#define MPI_BACKEND_LOOP_RUNNING_H

#include <stdbool.h>

struct keel_mpi_job;

/* Whether the loop that was lent last has not come. */
bool keel_mpi_running_awaits(const struct keel_mpi_job *job);

/* Whether a loop of the job runs on this rank. */
bool keel_mpi_running_any(const struct keel_mpi_job *job);

/* Whether one runs or is awaited, so that no other one can begin. */
bool keel_mpi_running_busy(const struct keel_mpi_job *job);

#endif
