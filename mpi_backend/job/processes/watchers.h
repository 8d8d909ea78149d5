/* Who watches ranks on other machines, whose processes can't be looked at. No MPI.
 *
 *   machine of each rank -> machines in a circle -> each watches those 1, 2, 4, ... ahead
 *
 * So each machine of M is watched by about log2 M others: that one has ended is seen unless all of
 * those have ended, too, and nobody has more to watch where there are more machines. */
#ifndef MPI_BACKEND_JOB_PROCESSES_WATCHERS_H
#define MPI_BACKEND_JOB_PROCESSES_WATCHERS_H

#include <stdbool.h>
#include <stdint.h>

/* Sets watched[i] for the ranks that `own` watches, of ranks 0 to count - 1, and leaves the others.
 * machine: a number for each rank's, from 1, the same for those on one machine; 0: not known, a
 * machine of its own. The ranks of a machine share those of another one. The same circle on all
 * ranks. False: no memory. */
bool keel_mpi_watchers_plan(const uint64_t *machine, uint32_t count, uint32_t own, bool *watched);

#endif
