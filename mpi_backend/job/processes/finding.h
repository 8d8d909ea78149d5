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

/* --- who watches ranks on other machines, whose processes can't be looked at ---
 *
 *   machine of each rank -> machines in a circle -> each watches those 1, 2, 4, ... ahead
 *
 * So each machine of M is watched by about log2 M others: that one has ended is seen unless all of
 * those have ended, too, and none has more to watch where there are more machines. No MPI. */

/* Sets watched[i] for the ranks that `own` watches, of ranks 0 to count - 1, and leaves the others.
 * machine: a number for each rank's, from 1, the same for those on one machine; 0: not known, a
 * machine of its own. The ranks of a machine share those of another one. The same circle on all
 * ranks. False: no memory. */
bool keel_mpi_watchers_plan(const uint64_t *machine, uint32_t count, uint32_t own, bool *watched);

#endif
