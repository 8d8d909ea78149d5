/* What the last loop of a communicator has come to.
 *
 *   keel_mpi_wait(), _gather(), _loop_report() ... -> [results] -> job->latest */
#ifndef MPI_BACKEND_LOOP_RESULTS_H
#define MPI_BACKEND_LOOP_RESULTS_H

#include <mpi.h>

struct keel_mpi_job;

/* The job of a communicator, ready for questions about its last loop; NULL: *code tells why not,
 * with a message. */
struct keel_mpi_job *keel_mpi_results_job(MPI_Comm comm, int *code);

/* Waits for all loops of the job; the code of the last one. Collective. */
int keel_mpi_results_complete(struct keel_mpi_job *job);

#endif
