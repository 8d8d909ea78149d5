/* The ranks of one communicator and what Keel keeps for them: communicators of its own, which rank
 * lives on which node, memory of the nodes' windows, the channel, and pointers to what the layer
 * above keeps per job.
 *
 *   communicator of the program -> [job] -> loops
 *
 * A job is an attribute of its communicator. It knows nothing of loops: the layer that uses it
 * registers what has to be done when the communicator is freed or MPI ends (job->user). */
#ifndef MPI_BACKEND_JOB_JOB_H
#define MPI_BACKEND_JOB_JOB_H

#include <stdatomic.h>

#include "mpi_backend/job/channel.h"
#include "mpi_backend/job/node_window.h"
#include "mpi_backend/job/peers.h"

#define KEEL_MPI_WINDOWS 4 /* loops that may be on their way at once */

struct keel_mpi_job;
struct keel_mpi_loop;
struct keel_mpi_record;
struct keel_mpi_rest;

/* What the layer that uses a job does when the job goes; that layer registers it in job->user. */
struct keel_mpi_job_user {
    /* Ends running operations. comm_freed: the program frees the communicator; false: MPI ends.
     * Collective. */
    void (*before_close)(struct keel_mpi_job *job, bool comm_freed);
    /* Frees what the layer keeps in the job. Not called after a failure. */
    void (*after_close)(struct keel_mpi_job *job);
};

/* Where a rank is. */
struct keel_mpi_rank_address {
    uint32_t node;  /* number of its node */
    uint32_t local; /* its number among the ranks of the node */
};

struct keel_mpi_job {
    /* Fixed when the job is opened. */
    struct keel_mpi_job *next;
    bool descends; /* its communicator is that of the ranks that were left of another one; so on all
                      its ranks */
    struct keel_mpi_job *before; /* the job of that one, or of one before; NULL: there was none, or
                                    it does not descend */
    struct keel_mpi_peers peers; /* all ranks, by a communicator of Keel's own */
    MPI_Comm node_comm;
    MPI_Win win; /* holds the windows; MPI_WIN_NULL: the node has one rank */
    uint32_t rank, ranks;
    uint32_t node, nodes;
    uint32_t local, locals;                /* of the ranks on this node */
    struct keel_mpi_rank_address *address; /* of each rank */
    uint32_t *node_first; /* where each node begins in `ranks_by_node`; nodes + 1 values */
    uint32_t *ranks_by_node;
    void *memory;  /* of the windows, as it was allocated */
    char *windows; /* KEEL_MPI_WINDOWS, each of `window_size` bytes */
    size_t window_size;

    /* Messages; under the channel lock (below). */
    struct keel_mpi_channel channel;
    atomic_flag channel_lock;
    double answer_ns; /* mean round trip time of requests to other nodes; 0: not known */
    struct keel_mpi_deferred *deferred; /* messages that came too early, see loop_messages.c */

    /* Loops; written by threads that may call MPI, between loops. */
    const struct keel_mpi_job_user *user;            /* NULL: there has been no loop yet */
    uint64_t loops;                                  /* begun so far; loop numbers begin at 1 */
    struct keel_mpi_loop *running[KEEL_MPI_WINDOWS]; /* number % KEEL_MPI_WINDOWS: loops whose
                                                        measurements are not complete */
    struct keel_mpi_loop *pending_loop; /* of these, the one that was lent to libkeel.so and that no
                                           loop of the program has taken; NULL: none */
    struct keel_mpi_loop *latest;       /* the last complete one; NULL: none */
    struct keel_mpi_loop *spare;        /* loops to use again */
    bool repeatable; /* the next loop is, see loop/results.c; as its number `instance` */
    uint64_t instance;
    bool rest_known;                        /* whether a loop of the jobs before has a rest */
    struct keel_mpi_rest *rest, *next_rest; /* of that one; of the next loop. NULL: none */
    int failed; /* code of the first loop since the program last asked that went wrong without a
                   call that said so; KEEL_MPI_OK: none */
    struct keel_mpi_record *records;
    struct keel_mpi_summary_operation *summaries; /* how they are added up; NULL: not yet */
    struct keel_mpi_periodic progress;            /* loop/progress/progress.c */
    _Atomic(struct keel_mpi_loop *) served;       /* that it runs the engine of; NULL: none */
};

/* The job of the program's communicator; opened by the first call for it, which is collective.
 * *code: KEEL_MPI_OK, or why it is NULL. where: the function that the program has called. */
struct keel_mpi_job *keel_mpi_job_of(MPI_Comm comm, const char *where, int *code);

/* Whether it is an intracommunicator. */
bool keel_mpi_job_is_intracomm(MPI_Comm comm);

/* For what lives on a copy of the program's communicator, as rows and objects do: whether there may
 * be one now. KEEL_MPI_OK, or why not, which has been said: `refusal` where it is no
 * intracommunicator. */
int keel_mpi_comm_look_at(MPI_Comm comm, const char *refusal);

/* Opens `peers` on such a copy; NULL: no memory. Where KEEL_MPI_OK is not returned, pending
 * operations may use it for ever. where: the function that the program has called. Collective. */
int keel_mpi_comm_open(MPI_Comm comm, const char *where, struct keel_mpi_peers *peers);

/* The job of a communicator, if it is open; NULL: it is not. */
struct keel_mpi_job *keel_mpi_job_find(MPI_Comm comm);

/* `survivors` has the ranks of `comm` that are left of it: the job of `comm` is not used any more,
 * and that of `survivors` will descend from it. KEEL_MPI_OK, or KEEL_MPI_ERROR. Local. */
int keel_mpi_job_descend(MPI_Comm comm, MPI_Comm survivors);

static inline struct keel_mpi_window *keel_mpi_job_window(const struct keel_mpi_job *job,
                                                          uint64_t number)
{
    return (struct keel_mpi_window *)(job->windows + number % KEEL_MPI_WINDOWS * job->window_size);
}

/* The rank of another node that this rank sends its requests to: the one in the same place
 * there. */
static inline uint32_t keel_mpi_job_rank_on(const struct keel_mpi_job *job, uint32_t node)
{
    uint32_t first = job->node_first[node], size = job->node_first[node + 1] - first;

    return job->ranks_by_node[first + job->local % size];
}

/* Ranks whose paces are in the node's windows: on the first node all, as claims of other nodes are
 * sized by them. */
static inline uint32_t keel_mpi_job_paces(const struct keel_mpi_job *job)
{
    return job->node == 0 ? job->ranks : 0;
}

/* The first rank of a node, which sends and receives counts and ends for it. */
static inline uint32_t keel_mpi_job_leader_of(const struct keel_mpi_job *job, uint32_t node)
{
    return job->ranks_by_node[job->node_first[node]];
}

/* Why the job is not used any more; KEEL_MPI_OK: it is. */
static inline int keel_mpi_job_code(const struct keel_mpi_job *job)
{
    return keel_mpi_peers_code(&job->peers);
}

/* Whether the calling thread may call MPI. MPI is initialised, and not finalised. */
bool keel_mpi_job_may_call_mpi(void);

/* Whether KEEL_MPI_PROGRESS asks for a thread that answers for this rank beside the program, and it
 * may call MPI, which is said otherwise, once. */
bool keel_mpi_job_may_answer_aside(void);

/* Closes all jobs, the latest first, as MPI ends. Collective over the ranks of each. */
void keel_mpi_job_close_all(void);

/* The job whose loop ended last in this process; NULL: none. */
extern struct keel_mpi_job *keel_mpi_job_latest;

/* --- the channel lock ---
 *
 * The thread that holds it is the only one that calls MPI for Keel. It guards the channel,
 * collective operations on Keel's communicator, and every field of loops that says so. Threads of
 * one process, never ranks; not recursive. */

/* Takes the lock unless another thread has it; waits for nothing. */
static inline bool keel_mpi_job_try_lock(struct keel_mpi_job *job)
{
    /* acquire: pairs with the release in keel_mpi_job_unlock() */
    return !atomic_flag_test_and_set_explicit(&job->channel_lock, memory_order_acquire);
}

static inline void keel_mpi_job_unlock(struct keel_mpi_job *job)
{
    /* release: the next holder sees all that was written under the lock */
    atomic_flag_clear_explicit(&job->channel_lock, memory_order_release);
}

/* Takes the lock; waits until it is free. */
void keel_mpi_job_lock(struct keel_mpi_job *job);

/* --- calls of the program --- */

/* What is wrong with a call from this thread at this time, with a message: KEEL_MPI_OTHER_MPI,
 * KEEL_MPI_NOT_READY, KEEL_MPI_THREADS or KEEL_MPI_ERROR; KEEL_MPI_OK: nothing. Any thread. */
int keel_mpi_call_check(void);

/* --- clocks.c ---
 *
 * One clock for the traces of all ranks: how far each host's CLOCK_MONOTONIC is from rank 0's.
 *
 *   ranks with clocks of other hosts <~> rank 0 -> [clocks] -> trace
 *
 * Processes of one host read the same clock, so one of them measures for all. */

/* If all of these ranks trace, and some clocks are not measured yet, measures them against the
 * clock of the first rank, for the trace. Errors other than MPI's only lose the measurement.
 * Collective; by threads that may call MPI. */
void keel_mpi_clocks_align(struct keel_mpi_peers *peers);

#endif
