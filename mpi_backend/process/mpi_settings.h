/* What the environment asks of Keel across nodes: one snapshot, taken once. */
#ifndef MPI_BACKEND_PROCESS_MPI_SETTINGS_H
#define MPI_BACKEND_PROCESS_MPI_SETTINGS_H

#include <stdint.h>

#include "schedules/ranks/mpi_variables.h"

/* The snapshot: taken by the first caller, the same for ever after. Any thread. Of the ranks on one
 * node only the first complains about values that cannot be used, where its launcher tells which
 * that is. `watch` is ON where it is AUTO and this job goes on when ranks end. */
const struct keel_ranks_settings *keel_mpi_settings(void);

/* What the launcher calls the job, or where it does not, a name that ranks of one machine share if
 * the launcher started them itself; "": no launcher. Any thread. */
const char *keel_mpi_settings_job(void);

#endif
