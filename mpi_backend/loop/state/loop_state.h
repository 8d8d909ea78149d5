/* The state of a loop that all ranks of a job share, on one rank: data that the other sources use,
 * and the few functions that need nothing else. One direction leads through those sources; each
 * room and each source calls only what stands below it:
 *
 *   loop/           lender                loops of OpenMP teams, and without OpenMP
 *                   results               what the last loop of a communicator has left, and what
 *                                         ranks that were lost have left to others
 *                   worker                join, next, leave: a thread's way to its chunks
 *                   job_loops             the loops of a job: new, complete, forget, abandon
 *                   open | end            what the ranks run | what they know of it at the end
 *   loop/progress/  progress              the progress engine, between chunks or by its own thread;
 *                                         counts up the tree of nodes, the end down that tree
 *   loop/claim/     counter | rank_blocks how ranks claim; called through the claim method
 *                   transfers             iterations from other nodes
 *                   claims                a worker's chunk, of what its rank holds, and steals
 *                                         between the ranks of a node
 *   loop/exchange/  loop_messages         send, receive, dispatch by a table of handlers;
 *                                         waits for other ranks
 *                   loop_agreement        do all run the same loop? the summary of all ranks, and
 *                                         blocks by their rates
 *                   identity              what each rank came with
 *   loop/state/     [loop_state], loop_record
 *   results/        range_list, gather    what has been executed
 *   report/         reported, process     what loops of a place have come to, for reports
 *   job/            job, channel, peers, node_window
 *
 * Everything here, in windows, in messages and in records counts units of the loop's grain
 * (schedules/claim/plan.h), so that no rank and no thread separates what belongs together. What
 * the program sees counts iterations: keel_mpi_worker_next(), the ranges of a complete loop,
 * reports.
 *
 * A worker is a thread that executes chunks; a loop without OpenMP has one. Every worker claims
 * from the window. Workers that may call MPI also run the progress engine between their chunks.
 * Worker 0 of a rank is its leader: it agrees with the leaders of other ranks whether all run
 * the same loop, and exchanges the measurements at the end. */
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

/* --- how a rank gets iterations that it does not hold yet --- */

/* From a shared counter, or from blocks that idle ranks steal from: one descriptor each, in
 * counter.c and blocks.c. */
struct keel_mpi_claim_method {
    /* When the loop is opened: works out what only this process needs, and adds to loop->check what
     * ranks have to agree on. False: no memory. */
    bool (*open)(struct keel_mpi_loop *loop);
    /* More iterations for the rank, without messages: [*first, *last) belong to the worker. False:
     * none now. */
    bool (*refill)(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);
    /* Jobs of several nodes: sends requests before the rank, or its node, is idle. Under the
     * channel lock, for a worker that wants iterations. */
    void (*request_ahead)(struct keel_mpi_worker *worker);
    /* Takes in the answer to such a request. Under the channel lock. */
    void (*answer)(struct keel_mpi_loop *loop, const struct keel_mpi_message *message);
    /* Jobs of several nodes: whether this rank should answer others before its first chunk, for as
     * long as an iteration may take, as nobody answers within one. NULL: no. Any thread. */
    bool (*awaits_others)(const struct keel_mpi_loop *loop);
    /* Jobs of one node: whether there will be nothing more to claim. Any worker. */
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
    struct keel_mpi_window_range *range; /* for what it claims beyond its chunk; from 17 threads on
                                            several workers share one */

    bool finished; /* there is no other chunk for it */
    bool had_last; /* its latest chunk is the one that ends the loop, so that it gets no other:
                      compilers let the thread whose last chunk that is set lastprivate variables */

    /* Sizes of chunks. */
    struct keel_sizer sizer;
    struct keel_paces team;    /* of the rank's threads, as last looked at */
    uint64_t refresh;          /* number of chunks at which `team` is read again */
    struct keel_cursor cursor; /* counter.c: its walk along the plan */

    /* Measurements. */
    uint64_t chunk;      /* units of the chunk that runs; 0: none */
    uint64_t piece[2];   /* of loop->rest: units [0] .. [1] - 1 of the chunk are still to be given
                            to the program */
    double chunk_end_ns; /* when the last chunk ended */
    double start_ns;     /* when the chunk began */
    uint64_t chunks;
    double busy_ns, overhead_ns;
    double waited_ns;                  /* for other ranks; where that is `observed` */
    double joined_ns, active_ns;       /* when it came, and how long it did anything but wait until
                                          it was done; likewise */
    uint64_t migrations, migrated;     /* steals on the node, and units that they brought */
    struct keel_mpi_range_list ranges; /* that it has executed */
};

/* Whether all ranks run the same loop. */
enum keel_mpi_agreement {
    KEEL_MPI_AGREEMENT_NONE,     /* the other ranks have not been asked yet */
    KEEL_MPI_AGREEMENT_PENDING,  /* their answers have not come yet */
    KEEL_MPI_AGREEMENT_SAME,     /* they do */
    KEEL_MPI_AGREEMENT_MISMATCH, /* they do not */
    KEEL_MPI_AGREEMENT_NO_LOOP,  /* no rank runs it at all */
};

/* Of loop->stage. */
enum keel_mpi_loop_stage { KEEL_MPI_LOOP_NEW, KEEL_MPI_LOOP_OPENING, KEEL_MPI_LOOP_OPEN };

/* How the blocks of the next instance are settled: exchange/loop_agreement.c. What messages on
 * their way read and write. */
struct keel_mpi_loop_shares {
    enum keel_mpi_shares_stage {
        KEEL_MPI_SHARES_NONE,
        KEEL_MPI_SHARES_SUM,  /* weights of the ranks below are summed up */
        KEEL_MPI_SHARES_NODE, /* ranks of the node tell each other their blocks */
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
    uint64_t number;             /* in the job, from 1; 0: it is of a rank without others */
    bool waits;                  /* its end waits for all iterations of all ranks */
    bool repeatable;             /* it ends early where ranks are lost: results.c */
    uint64_t instance;           /* which one it is by the program's count; if it is repeatable */
    double poll_ns;
    /* Takes the loop back from where it was lent to; false: a loop of the program has taken it.
     * Written by the lender; NULL: it was not lent. */
    bool (*withdraw)(struct keel_mpi_loop *loop);
    /* What is said if none has come, unless ranks differ in that; NULL: one has. By the thread that
     * withdraws it. */
    const char *missing;
    _Atomic(const void *) passed; /* return address of an ordered loop that has come instead */

    /* Fixed by the worker that opens the loop, before any worker sees it. */
    struct keel_mpi_window *window;
    bool whole; /* without OpenMP: one thread, which gets what the schedule says as one chunk */
    uint64_t iterations;              /* N */
    uint64_t grain;                   /* iterations that stay together, >= 1 */
    uint64_t units;                   /* of `grain` iterations: what ranks and threads divide */
    const struct keel_mpi_rest *rest; /* `units` number the missing ones of a loop in the course of
                                         which ranks were lost; NULL: they are all of this one */
    uint64_t check; /* equal on all ranks that run the same loop; 0: this rank runs none */
    uint64_t basis; /* the same, without what follows from loops before */
    uint32_t threads;
    bool timed;  /* chunks are timed */
    bool learns; /* the schedule goes by the speeds of ranks, which `record` keeps */
    struct keel_mpi_place
        *observed;    /* for a report or a trace; NULL: neither is wanted, or there is
                                        no memory */
    double opened_ns; /* when that was done; if observed */
    struct keel_ranks_schedule schedule; /* in units, as both specs are */
    struct keel_spec spec;               /* of the ranks, every measured parameter filled in */
    struct keel_spec local;              /* of the rank's threads */
    const struct keel_mpi_claim_method *claim_method;
    struct keel_mpi_record *record; /* NULL: no memory, or too many places */
    uint64_t (*block)[2];           /* of each rank of the node: units [0] .. [1] - 1 */
    struct keel_mpi_worker *worker; /* of each thread */
    struct keel_mpi_worker only;    /* `worker` where there is no memory */
    const void *caller;             /* where the loop starts in the program, see lending.h */
    void (*outlined)(void *);
    struct keel_mpi_loop_identity identity; /* what this rank came with */

    /* Shared by all workers. */
    _Atomic int stage;       /* enum keel_mpi_loop_stage */
    _Atomic uint64_t active; /* of which loop, and how many workers are in it; see loop_state.c */
    _Atomic double progress_ns;   /* when the progress engine last ran */
    _Atomic uint64_t own_step;    /* counter.c, chunks fixed for each rank: the rank's next step */
    atomic_bool exhausted;        /* counter.c: nothing is left to claim */
    _Atomic uint64_t claimed;     /* counter.c: units that this rank has claimed */
    atomic_uint claiming_workers; /* counter.c: workers that are just claiming */
    atomic_flag sizing;           /* counter.c: a worker works out the size of a claim */
    atomic_bool overflows;        /* there is some `overflow` */

    /* Agreement and measurements; under the channel lock, or by the leader alone. */
    enum keel_mpi_agreement agreement;
    MPI_Request agreement_request, summary_request;
    /* check, ~check, basis, ~basis, and which rank names the loop: of this rank; maxima over all
     * ranks */
    uint64_t proposed[5], agreed[5];
    bool learned_apart; /* they differ in nothing but what ranks have learned of it before */
    struct keel_mpi_rank_measurements measurements; /* of this rank */
    struct keel_mpi_summary own, summary;           /* of this rank; of all */
    bool summary_sent;
    struct keel_mpi_loop_shares shares; /* once the summary has come */
    bool failed;  /* MPI has, or ranks are late: each rank runs what it has not executed */
    bool absent;  /* the rank has not entered the node's window, and has one of its own */
    bool refused; /* keel_mpi_share() has returned its code */
    /* Where ranks came with different loops: what each did, on the rank that tells of it. */
    struct keel_mpi_loop_identity *came; /* of all ranks; NULL: this is another one, or no memory */
    uint32_t heard;                      /* of so many others */
    MPI_Request telling;                 /* of what this rank came with, on others */
    bool mismatch_told;                  /* it has told that, */
    bool mismatch_reported;              /* and the message is written, if that is its affair */
    bool left;         /* the rank's part is over: it does not use the window any more */
    int code;          /* KEEL_MPI_... of its end */
    double waited_ns;  /* by all workers, and by the leader for the end; if observed */
    double elapsed_ns; /* since the loop was opened, without what the program did meanwhile */
    int last_rank;     /* that executed the last iteration; -1: none */
    uint64_t messages; /* sent for it */

    /* Termination (progress.c); under the channel lock, used on the first rank of each node. */
    uint64_t reported;         /* units that it has counted towards the node above */
    uint64_t child_units;      /* units that the nodes below have counted */
    uint32_t children_counted; /* nodes below that have sent a count */
    bool count_sent;           /* it has sent one */
    bool end_sent;             /* it has sent the end to the nodes below */
    bool cancel_sent;          /* it has told the node above that the loop is cancelled */
    double idle_since_ns;      /* when nothing was left on the node; 0: not yet */

    /* counter.c; under the channel lock, `claim_context` by the thread that holds `sizing`, too. */
    struct keel_plan *plan, small;
    struct keel_cursor cursor; /* its walk along the plan, for answers */
    struct keel_claim_context claim_context;
    bool has_equal_chunks; /* of a plan, the last one excepted */
    uint64_t first_chunks; /* that a rank of another node claims at first */
    uint64_t claims;       /* that this rank has made, so far: by message, or sized */
    double known_ns;       /* when the last answer came; 0: none has */
    double looks_ns;       /* an iteration of who answers claims; 0: not known */
    uint64_t known;        /* where the counter stood at the last answer */
    double request_ns;     /* when the last claim was sent */
    bool claim_pending;    /* a CLAIM has been sent and not been answered */

    /* transfers.c; under the channel lock. */
    struct keel_tree_links links;
    struct keel_victim_search victims;
    bool waiting;     /* all victims of a round had nothing */
    double pause_ns;  /* between rounds; grows with each round in which all had nothing */
    double resume_ns; /* when the next round begins */
    uint64_t migrations, migrated;       /* transfers from other nodes, and units in them */
    struct keel_mpi_range_list overflow; /* arrived while no range was empty */

    /* Its end; written by the leader once no other worker is in it. */
    bool alone;          /* the leader executes what is left by itself */
    uint64_t alone_from; /* how far it has come */
    struct keel_mpi_range_list
        ranges; /* that the rank has executed: units, iterations once `left` */
    struct keel_mpi_loop_report report;
};

/* What a worker brings along. */
struct keel_mpi_worker_start {
    uint64_t iterations;
    uint64_t grain; /* that the program wants kept, >= 1 */
    uint32_t threads, thread;
    const struct keel_spec *local; /* in iterations; NULL: Keel's choice */
    uintptr_t site;
    const void *caller; /* as in omp_ext/lending/lending.h */
    void (*outlined)(void *);
    bool whole;
};

/* Adds to loop->check what ranks have to agree on. Any check is more than 0, the least of all where
 * ranks compare, and below 2^63, as MPICH 4.0 has MPI_MAX take unsigned numbers for signed. */
static inline void keel_mpi_loop_agree_on(struct keel_mpi_loop *loop, const void *bytes,
                                          size_t size)
{
    loop->check = keel_digest_bytes(loop->check, bytes, size) >> 1 | 1;
}

/* The loop of that number, if this rank has opened it and it is not complete; else NULL. Under the
 * channel lock. */
struct keel_mpi_loop *keel_mpi_loop_find(const struct keel_mpi_job *job, uint64_t number);

/* Whether workers can have joined it. Any thread. */
bool keel_mpi_loop_is_open(const struct keel_mpi_loop *loop);

/* Whether the job has failed, so that the loop is not shared any more; the first call that finds
 * that ends the loop on the node. Any thread. */
bool keel_mpi_loop_has_failed(struct keel_mpi_loop *loop);

/* --- which workers are in it; any thread --- */

/* Workers may join, from now on. */
void keel_mpi_loop_publish(struct keel_mpi_loop *loop);

/* A worker joins loop number `number`. False: it is over for this rank, or another loop by now. */
bool keel_mpi_loop_enter(struct keel_mpi_loop *loop, uint64_t number);

/* A worker is done. */
void keel_mpi_loop_leave(struct keel_mpi_loop *loop);

/* Whether workers are in it. */
bool keel_mpi_loop_is_active(const struct keel_mpi_loop *loop);

/* Lets no worker join any more; false: workers are in it. own: of these, the caller (1 or 0). */
bool keel_mpi_loop_close(struct keel_mpi_loop *loop, unsigned own);

/* --- which schedule: the environment's, else the program's, else Keel's own --- */

/* That of the next loop. By the threads that may share loops. */
const struct keel_ranks_schedule *keel_mpi_requested_schedule(void);

/* The same as people write it. */
const char *keel_mpi_requested_schedule_text(void);

#endif
