/* The ranks of one communicator and what Keel keeps for them: its own communicators, who lives on
 * which node, the nodes' windows, the channel, and what loops have shown so far.
 *
 *   communicator of the program -> [job] -> loops */
#ifndef MPI_BACKEND_JOB_JOB_H
#define MPI_BACKEND_JOB_JOB_H

#include <stdatomic.h>

#include "mpi_backend/job/channel.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/loop/node_window.h"

#define KEEL_MPI_WINDOWS 4 /* loops that may be on their way at once */

struct keel_mpi_loop;
struct keel_mpi_record;
struct keel_mpi_progress_thread;

/* Where a rank is. */
struct keel_mpi_rank_address {
    uint32_t node;  /* number of its node */
    uint32_t local; /* its number among the ranks of the node */
};

/* Fields without a note are written when the job is opened. */
struct keel_mpi_job {
    struct keel_mpi_job *next;
    struct keel_mpi_peers peers; /* all ranks, by a communicator of Keel's own */
    MPI_Comm node_comm;
    MPI_Win win; /* holds the windows; MPI_WIN_NULL: the node has one rank */
    uint32_t rank, ranks;
    uint32_t node, nodes;
    uint32_t local, locals;
    struct keel_mpi_rank_address *address; /* of each rank */
    uint32_t *node_first; /* where each node begins in `ranks_by_node`; nodes + 1 values */
    uint32_t *ranks_by_node;
    void *memory; /* of the windows, as it was allocated */
    char *windows;
    size_t window_size;
    struct keel_mpi_channel channel;
    atomic_flag channel_lock; /* a thread is at the channel, or in a collective operation */
    uint64_t loops;           /* begun so far; numbers begin at 1 */
    double answer_ns;         /* how long answers of other nodes take, mean; 0: not known */
    struct keel_mpi_loop *running[KEEL_MPI_WINDOWS]; /* loops whose figures have not come in */
    struct keel_mpi_loop *pending_loop; /* of these, the one that waits for its loop; NULL: none */
    struct keel_mpi_loop *latest;       /* the last complete one; NULL: none */
    int failed; /* code of the first loop since the program last asked that went wrong without a
                   call that said so; KEEL_MPI_OK: none */
    struct keel_mpi_loop *spare; /* loops for the next time */
    struct keel_mpi_record *records;
    struct keel_mpi_progress_thread *progress; /* its backstop thread; NULL: none */
    struct keel_mpi_deferred *deferred;        /* messages that came too early */
};

/* A message about a loop that this rank has not come to. */
struct keel_mpi_deferred {
    struct keel_mpi_deferred *next;
    struct keel_mpi_message message;
};

/* The job of the program's communicator; opened by the first call for it, which is collective.
 * *code: KEEL_MPI_OK, or why it is NULL. where: the function that the program has called. */
struct keel_mpi_job *keel_mpi_job_of(MPI_Comm comm, const char *where, int *code);

/* Whether it is an intracommunicator. */
bool keel_mpi_job_is_intracomm(MPI_Comm comm);

/* The job of a communicator, if it is open; NULL: it is not. */
struct keel_mpi_job *keel_mpi_job_find(MPI_Comm comm);

static inline struct keel_mpi_window *keel_mpi_job_window(const struct keel_mpi_job *job,
                                                          uint64_t number)
{
    return (struct keel_mpi_window *)(job->windows + number % KEEL_MPI_WINDOWS * job->window_size);
}

/* The rank that a rank of this process's place on its node writes to on node `node`. */
static inline uint32_t keel_mpi_job_rank_on(const struct keel_mpi_job *job, uint32_t node)
{
    uint32_t first = job->node_first[node], size = job->node_first[node + 1] - first;

    return job->ranks_by_node[first + job->local % size];
}

/* The first rank of a node, which counts for it. */
static inline uint32_t keel_mpi_job_leader_of(const struct keel_mpi_job *job, uint32_t node)
{
    return job->ranks_by_node[job->node_first[node]];
}

/* What has gone wrong for good among its ranks; KEEL_MPI_OK: nothing. */
static inline int keel_mpi_job_code(const struct keel_mpi_job *job)
{
    return keel_mpi_peers_code(&job->peers);
}

/* Whether the calling thread may call MPI. MPI is initialised, and not finalised. */
bool keel_mpi_job_may_call_mpi(void);

/* A call of MPI has failed outside of any job: all of them are done for. */
void keel_mpi_job_fail_all(void);

/* The job whose loop ended last in this process; NULL: none. */
extern struct keel_mpi_job *keel_mpi_job_latest;

#endif
