/* How ranks learn of each other's hosts and processes when they are connected. */
#ifndef MPI_BACKEND_JOB_PROCESSES_FINDING_H
#define MPI_BACKEND_JOB_PROCESSES_FINDING_H

#include "mpi_backend/job/peers.h"

/* Memory for that; NULL: there is none. Freed by free(), or: */
struct keel_mpi_finding;
struct keel_mpi_finding *keel_mpi_finding_begin(uint32_t ranks);

/* Brings together what each rank has of its own, of so many bytes. False: it failed, as the code of
 * `peers` says. Collective. */
typedef bool keel_mpi_tell_each_other(struct keel_mpi_peers *peers, const void *own, void *all,
                                      size_t bytes);

/* Fills in peers->hosts and peers->processes. Where `tell` fails, operations on their way use the
 * memory, and it stays. Collective. */
void keel_mpi_finding_end(struct keel_mpi_finding *finding, struct keel_mpi_peers *peers,
                          keel_mpi_tell_each_other *tell);

#endif
