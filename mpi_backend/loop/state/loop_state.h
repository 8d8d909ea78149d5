/* The state of a loop that all ranks of a job share, on one rank: data that the other sources use,
 * and the few functions that only need the state. Each room and each source calls only those below
 * it:
 *
 *   loop/           lender                loops of OpenMP teams, and without OpenMP
 *                   results               results of the last loop of a communicator, and
 *                                         iterations that lost ranks have left to others
 *                   worker                join, next, leave: the chunks of a thread
 *                   job_loops             the loops of a job: new, complete, end, forget, abandon
 *                   open                  schedule, blocks and window of a loop
 *   loop/progress/  progress              the progress engine, between chunks or by its own thread;
 *                                         counts up the tree of nodes, the end down that tree
 *   loop/claim/     counter | rank_blocks how ranks claim; called through the claim method
 *                   transfers             iterations from other nodes; steals between the ranks of
 *                                         a node
 *   loop/exchange/  loop_messages         send, receive, dispatch by a table of handlers;
 *                                         waits for other ranks
 *                   loop_agreement        do all run the same loop? the summary of all ranks, and
 *                                         blocks by their rates
 *                   identity              the loop of each rank, for messages; events of the trace
 *   loop/state/     [loop_state], loop_record
 *   results/        range_list, gather    executed ranges, and gathering their data
 *   report/         reported, process     measurements of loops per place, for reports
 *   job/            job, channel, peers, node_window
 *
 * All numbers here, in windows, in messages and in records are in units of the loop's grain
 * (schedules/claim/plan.h), so that no rank and no thread separates the iterations of a unit. The
 * program sees iterations: keel_mpi_worker_next(), the ranges of a complete loop, reports.
 *
 * A worker is a thread that executes chunks; a loop without OpenMP has one. Every worker claims
 * from the window. Workers that may call MPI also run the progress engine between their chunks.
 * Worker 0 of a rank is its leader: it agrees with the leaders of other ranks whether all run the
 * same loop, and exchanges the measurements at the end. */
#ifndef MPI_BACKEND_LOOP_STATE_LOOP_STATE_H
#define MPI_BACKEND_LOOP_STATE_LOOP_STATE_H

#include "mpi_backend/job/job.h"
#include "mpi_backend/loop/state/loop_record.h"
#include "mpi_backend/report/mpi_report.h"
#include "mpi_backend/results/range_list.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/victim.h"
#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"
#include "schedules/ranks/policies.h"

struct keel_mpi_loop;
struct keel_mpi_worker;

/* --- how a rank gets more iterations --- */

/* From a shared counter, or from blocks from which idle ranks steal: one descriptor each, in
 * counter.c and rank_blocks.c. */
struct keel_mpi_claim_method {
    /* When the loop is opened: prepares the data of this process, and adds to loop->check what
     * ranks have to agree on. False: no memory. */
    bool (*open)(struct keel_mpi_loop *loop);
    /* Gets more iterations for the rank, without messages: [*first, *last) belong to the worker.
     * False: none now. */
    bool (*refill)(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);
    /* Jobs of several nodes: sends requests before the rank, or its node, is idle. Under the
     * channel lock, for a worker that wants iterations. */
    void (*request_ahead)(struct keel_mpi_worker *worker);
    /* Handles the answer to such a request. Under the channel lock. */
    void (*answer)(struct keel_mpi_loop *loop, const struct keel_mpi_message *message);
    /* Jobs of several nodes: whether this rank should answer others before its first chunk, for as
     * long as an iteration may take, as no rank answers within one. NULL: no. Any thread. */
    bool (*awaits_others)(const struct keel_mpi_loop *loop);
    /* Jobs of one node: whether no iterations are left to claim. Any worker. */
    bool (*is_over)(struct keel_mpi_loop *loop);
};

extern const struct keel_mpi_claim_method keel_mpi_claim_by_counter, keel_mpi_claim_by_blocks;

/* --- workers and loops --- */

/* One thread's part. Written by that thread; `ranges` and the measurements are read when all
 * workers are done. */
struct keel_mpi_worker {
    /* Fixed when it joins. */
    struct keel_mpi_loop *loop;
    uint32_t thread;
    bool leads;
    bool calls_mpi;                      /* may call MPI */
    struct keel_mpi_window_range *range; /* for claimed units beyond its chunk; from 17 threads on
                                            several workers share one */

    bool finished; /* it gets no other chunk */
    bool had_last; /* its latest chunk ends the loop, so that it gets no other: compilers set
                      lastprivate variables in the thread whose last chunk that is */

    /* Sizes of chunks. */
    struct keel_sizer sizer;
    struct keel_paces team;    /* of the rank's threads, when last read */
    uint64_t refresh;          /* number of chunks at which `team` is read again */
    struct keel_cursor cursor; /* counter.c: its position in the plan */

    /* Measurements. */
    uint64_t chunk;      /* units of the running chunk; 0: none */
    uint64_t piece[2];   /* if loop->rest: units [0] .. [1] - 1 of the chunk are not given to the
                            program yet */
    double chunk_end_ns; /* when the last chunk ended */
    double start_ns;     /* when the chunk began */
    uint64_t chunks;
    double busy_ns, overhead_ns;
    double waited_ns;                  /* for other ranks; if `observed` */
    double joined_ns, active_ns;       /* when it joined, and its time without waiting until it was
                                          done; if `observed` */
    uint64_t migrations, migrated;     /* steals on the node, and their units */
    struct keel_mpi_range_list ranges; /* executed by it */
};

/* Whether all ranks run the same loop. */
enum keel_mpi_agreement {
    KEEL_MPI_AGREEMENT_NONE,     /* the other ranks have not been asked yet */
    KEEL_MPI_AGREEMENT_PENDING,  /* not all answers have arrived */
    KEEL_MPI_AGREEMENT_SAME,     /* they do */
    KEEL_MPI_AGREEMENT_MISMATCH, /* they do not */
    KEEL_MPI_AGREEMENT_NO_LOOP,  /* no rank runs it at all */
};

/* Values of loop->stage. */
enum keel_mpi_loop_stage { KEEL_MPI_LOOP_NEW, KEEL_MPI_LOOP_OPENING, KEEL_MPI_LOOP_OPEN };

/* How ranks agree on the blocks of the next instance: exchange/loop_agreement.c. Pending messages
 * read and write this. */
struct keel_mpi_loop_shares {
    enum keel_mpi_shares_stage {
        KEEL_MPI_SHARES_NONE,
        KEEL_MPI_SHARES_SUM,  /* weights of the ranks below are summed */
        KEEL_MPI_SHARES_NODE, /* ranks of the node exchange their blocks */
        KEEL_MPI_SHARES_DONE,
    } stage;
    enum keel_blocks_decision decision;
    struct keel_rate_change change;
    uint64_t below; /* sum of the weights of the ranks below */
    double part[2]; /* the block of this rank */
    MPI_Request request;
};

struct keel_mpi_loop {
    /* Fixed by keel_mpi_loop_new(). */
    struct keel_mpi_job *job;
    struct keel_mpi_loop *spare; /* the next one in job->spare */
    unsigned loans;              /* of the lender that refer to it */
    uint64_t number;             /* in the job, from 1; 0: of a job of one rank */
    bool waits;                  /* its end waits for all iterations of all ranks */
    bool repeatable;             /* it ends early if ranks are lost: results.c */
    uint64_t instance;           /* its number, set by the program; if repeatable */
    double poll_ns;
    /* Takes the loop back from libkeel.so; false: a loop of the program has taken it. Written by
     * the lender; NULL: it was not lent. */
    bool (*withdraw)(struct keel_mpi_loop *loop);
    /* The message if no loop has started, unless ranks differ in that; NULL: one has. By the thread
     * that withdraws it. */
    const char *missing;
    _Atomic(const void *) passed; /* return address of an ordered loop that started instead */

    /* Fixed by the worker that opens the loop, before any worker sees it. */
    struct keel_mpi_window *window;
    bool whole; /* without OpenMP: one thread, which gets what the schedule decides as one chunk */
    uint64_t iterations;              /* N */
    uint64_t grain;                   /* iterations that stay together, >= 1 */
    uint64_t units;                   /* of `grain` iterations, which ranks and threads divide */
    const struct keel_mpi_rest *rest; /* `units` are only those missing of a loop during which ranks
                                         were lost; NULL: all of this one */
    uint64_t check; /* equal on all ranks that run the same loop; 0: this rank runs none */
    uint64_t basis; /* the same, without values learned from earlier loops */
    uint32_t threads;
    bool timed;  /* chunks are timed */
    bool learns; /* the schedule uses the speeds of ranks, which `record` keeps */
    struct keel_mpi_place
        *observed;    /* for a report or a trace; NULL: neither is wanted, or no memory */
    double opened_ns; /* when the loop was opened; if observed */
    struct keel_ranks_schedule schedule; /* in units, as both specs are */
    struct keel_spec spec;               /* of the ranks, with all measured parameters */
    struct keel_spec local;              /* of the rank's threads */
    const struct keel_mpi_claim_method *claim_method;
    struct keel_mpi_record *record; /* NULL: no memory, or too many places */
    uint64_t (*block)[2];           /* of each rank of the node: units [0] .. [1] - 1 */
    struct keel_mpi_worker *worker; /* of each thread */
    struct keel_mpi_worker only;    /* `worker` if there is no memory */
    const void *caller;             /* where the loop starts in the program, see lending.h */
    void (*outlined)(void *);
    struct keel_mpi_loop_identity identity; /* of this rank */

    /* Shared by all workers. */
    _Atomic int stage;            /* enum keel_mpi_loop_stage */
    _Atomic uint64_t active;      /* loop number and workers in it; see loop_state.c */
    _Atomic double progress_ns;   /* when the progress engine last ran */
    _Atomic uint64_t own_step;    /* counter.c: the rank's next step, if chunks are fixed for each
                                     rank */
    atomic_bool exhausted;        /* counter.c: no iterations are left to claim */
    _Atomic uint64_t claimed;     /* counter.c: units that this rank has claimed */
    atomic_uint claiming_workers; /* counter.c: workers inside a claim */
    atomic_flag sizing;           /* counter.c: a worker computes the size of a claim */
    atomic_bool overflows;        /* `overflow` is not empty */

    /* Agreement and measurements; under the channel lock, or by the leader alone. */
    enum keel_mpi_agreement agreement;
    MPI_Request agreement_request, summary_request;
    /* check, ~check, basis, ~basis, and the rank that names the loop: of this rank; maxima over all
     * ranks */
    uint64_t proposed[5], agreed[5];
    bool learned_apart; /* they differ only in what ranks have learned of it before */
    struct keel_mpi_rank_measurements measurements; /* of this rank */
    struct keel_mpi_summary own, summary;           /* of this rank; of all */
    bool summary_sent;
    struct keel_mpi_loop_shares shares; /* once the summary has arrived */
    bool failed;  /* MPI has failed, or ranks are late: each rank runs what it has not executed */
    bool absent;  /* the rank has not entered the node's window, and has one of its own */
    bool refused; /* keel_mpi_share() has returned its code */
    /* If ranks have different loops: the loops of all, on the rank that reports them. */
    struct keel_mpi_loop_identity *came; /* of all ranks; NULL: on other ranks, or no memory */
    uint32_t identities;                 /* number of others received */
    MPI_Request identity_request;        /* on other ranks: sending its loop */
    bool identity_sent;                  /* its loop has been sent, */
    bool mismatch_reported;              /* and the message printed, if it is the reporter */
    bool left;         /* the rank's part is over: it does not use the window any more */
    int code;          /* KEEL_MPI_... of its end */
    double waited_ns;  /* by all workers, and by the leader at the end; if observed */
    double elapsed_ns; /* since the loop was opened, without other work of the program */
    int last_rank;     /* that executed the last iteration; -1: none */
    uint64_t messages; /* sent for it */

    /* Termination (progress.c); under the channel lock, used on the first rank of each node. */
    uint64_t reported;         /* units counted to the node above */
    uint64_t child_units;      /* units counted by the nodes below */
    uint32_t children_counted; /* nodes below that have sent a count */
    bool count_sent;           /* it has sent a count */
    bool end_sent;             /* it has sent the end to the nodes below */
    bool cancel_sent;          /* it has informed the node above that the loop is cancelled */
    double idle_since_ns;      /* when no iterations were left on the node; 0: not yet */

    /* counter.c; under the channel lock, `claim_context` by the thread that holds `sizing`, too. */
    struct keel_plan *plan, small;
    struct keel_cursor cursor; /* position in the plan, for answers */
    struct keel_claim_context claim_context;
    bool has_equal_chunks; /* of a plan, except the last one */
    uint64_t first_chunks; /* that a rank of another node claims first */
    uint64_t claims;       /* of this rank so far: by message, or sized */
    double known_ns;       /* time of the last answer; 0: none yet */
    double looks_ns;       /* an iteration of the rank that answers claims; 0: not known */
    uint64_t known;        /* the counter at the last answer */
    double request_ns;     /* when the last claim was sent */
    bool claim_pending;    /* a CLAIM has been sent and not been answered */

    /* transfers.c; under the channel lock. */
    struct keel_tree_links links;
    struct keel_victim_search victims;
    bool waiting;                  /* no victim of a round had iterations */
    double pause_ns;               /* between rounds; grows with each round without iterations */
    double resume_ns;              /* when the next round begins */
    uint64_t migrations, migrated; /* transfers from other nodes, and units in them */
    struct keel_mpi_range_list overflow; /* arrived while no range was empty */

    /* The end; written by the leader once no other worker is in the loop. */
    bool alone;                        /* the leader executes the rest alone */
    uint64_t alone_from;               /* up to here so far */
    struct keel_mpi_range_list ranges; /* executed by the rank: units; iterations once `left` */
    struct keel_mpi_loop_report report;
};

/* The loop as a worker starts it. */
struct keel_mpi_worker_start {
    uint64_t iterations;
    uint64_t grain; /* set by the program, >= 1 */
    uint32_t threads, thread;
    const struct keel_spec *local; /* in iterations; NULL: Keel's choice */
    uintptr_t site;
    const void *caller; /* as in omp_ext/lending/lending.h */
    void (*outlined)(void *);
    bool whole;
};

/* Adds to loop->check what ranks have to agree on. A check is > 0, as 0 means no loop, and < 2^63,
 * as MPI_MAX of MPICH 4.0 takes unsigned numbers for signed. */
static inline void keel_mpi_loop_agree_on(struct keel_mpi_loop *loop, const void *bytes,
                                          size_t size)
{
    loop->check = keel_digest_bytes(loop->check, bytes, size) >> 1 | 1;
}

/* Returns the loop of that number, if this rank has opened it and it is not complete; otherwise
 * NULL. Under the channel lock. */
struct keel_mpi_loop *keel_mpi_loop_find(const struct keel_mpi_job *job, uint64_t number);

/* Whether it is open, so that workers may have joined it. Any thread. */
bool keel_mpi_loop_is_open(const struct keel_mpi_loop *loop);

/* Whether the job has failed, so that the loop is not shared any more; the first call that finds
 * that ends the loop on the node. Any thread. */
bool keel_mpi_loop_see_failure(struct keel_mpi_loop *loop);

/* --- which workers are in it; any thread --- */

/* Lets workers join from now on. */
void keel_mpi_loop_publish(struct keel_mpi_loop *loop);

/* A worker joins loop number `number`. False: it is over for this rank, or another loop by now. */
bool keel_mpi_loop_enter(struct keel_mpi_loop *loop, uint64_t number);

/* A worker is done. */
void keel_mpi_loop_leave(struct keel_mpi_loop *loop);

/* Whether workers are in it. */
bool keel_mpi_loop_is_active(const struct keel_mpi_loop *loop);

/* Lets no worker join any more. False: workers are in it; own (0 or 1) of them, the caller, may
 * be. */
bool keel_mpi_loop_close(struct keel_mpi_loop *loop, unsigned own);

/* --- which schedule: set by the environment, by the program, or Keel's own --- */

/* Returns the schedule of the next loop. By threads that may share loops. */
const struct keel_ranks_schedule *keel_mpi_requested_schedule(void);

/* Returns its text. */
const char *keel_mpi_requested_schedule_text(void);

#endif
