/* What ranks of one job on one node know of each other before MPI is there: a file in memory, in
 * which each enters itself once, and which is gone as soon as all have.
 *
 *   enter -> all are in -> nobody is missing: all ranks see the same entries
 *         -> too long   -> one rank gives up for all: none of them has any
 */
#ifndef MPI_BACKEND_CALLS_NODE_TABLE_H
#define MPI_BACKEND_CALLS_NODE_TABLE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define KEEL_NODE_RANKS_MAX 1024

/* A rank, as it enters itself. */
struct keel_node_rank {
    pid_t process;
    cpu_set_t cores; /* on which its threads may run */
};

/* Enters this rank, number `rank` of `count` on its node, and waits for the others, at most
 * `patience_s`. job: a name that other jobs do not have. all: of `count`, in the order of ranks.
 * False: not all have come, or there is no such memory; the same for all ranks that have entered,
 * but for those that find no memory. Once in a process. */
bool keel_node_table_meet(const char *job, unsigned rank, unsigned count,
                          const struct keel_node_rank *own, double patience_s,
                          struct keel_node_rank *all);

#endif
