/* Which schedule the ranks share loops by: the environment's, else what the program has asked for,
 * else Keel's own. */
#ifndef MPI_BACKEND_LOOP_STATE_REQUESTED_SCHEDULE_H
#define MPI_BACKEND_LOOP_STATE_REQUESTED_SCHEDULE_H

#include "schedules/ranks/loop_policy.h"

/* That of the next loop. By the threads that may share loops. */
const struct keel_ranks_schedule *keel_mpi_requested_schedule(void);

/* The same as people write it. */
const char *keel_mpi_requested_schedule_text(void);

#endif
