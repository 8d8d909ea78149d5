/* One rank's part in one loop that is shared by all ranks of a job.
 *
 *   lender.c (OpenMP teams), explicit.c
 *     -> keel_mpi_worker_join() -> keel_mpi_worker_next() ... keel_mpi_worker_leave()
 *                                                  |
 *          ranges of the window -> claim_method: counter.c or blocks.c -> messages (talk.c)
 *
 * Everything here, on the window, in messages and in records counts units of the loop's grain
 * (schedules/claim/grain.h), so that no rank and no thread separates what belongs together; what
 * faces the program counts iterations: keel_mpi_worker_next(), the ranges of a loop that is
 * complete, reports.
 *
 * A worker is a thread that takes chunks; a loop without OpenMP has one. Any worker may claim from
 * the window; those that may call MPI also talk: they answer messages between their chunks. Taker 0
 * leads: it settles with the other ranks whether all run the same loop, and how it went. */
#ifndef MPI_BACKEND_LOOP_LOOP_H
#define MPI_BACKEND_LOOP_LOOP_H

#include "mpi_backend/job/job.h"
#include "mpi_backend/loop/record.h"
#include "mpi_backend/results/range_list.h"
#include "schedules/balance/victim.h"
#include "schedules/claim/claim.h"
#include "schedules/claim/sizer.h"
#include "schedules/ranks/loop_policy.h"

struct keel_mpi_loop;

/* One thread's part. Written by that thread; `ranges` and the figures are read when all are
 * done. */
struct keel_mpi_worker {
    struct keel_mpi_loop *loop;
    uint32_t thread;
    bool leads;
    bool calls_mpi; /* may call MPI */
    bool over;      /* has had its last chunk */
    bool ended;     /* that was the one which ends the loop: compilers take the thread whose
                               last chunk does for the one that sets lastprivate variables */
    struct keel_mpi_window_range
        *range; /* for what it holds beyond its chunk; shared from 17 threads on */
    struct keel_sizer sizer;
    struct keel_paces team;    /* of the rank's threads, as last looked at */
    uint64_t refresh;          /* at which number of chunks to look again */
    struct keel_cursor cursor; /* counter: its walk along the plan */
    struct keel_mpi_range_list ranges;
    uint64_t chunk;  /* units of the chunk that runs; 0: none */
    double asked_ns; /* when the last chunk ended */
    double start_ns; /* when the chunk began */
    uint64_t chunks;
    double busy_ns, overhead_ns;
    uint64_t migrations, migrated;
};

/* How ranks get iterations that they do not hold yet. */
struct keel_mpi_claim_method {
    /* Works out what only the loop's own process needs; false: no memory. */
    bool (*open)(struct keel_mpi_loop *loop);
    /* More iterations for the rank: [*first, *last) belong to the worker. False: none now. */
    bool (*refill)(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);
    /* Between chunks of a worker that calls_mpi, with more than one node: requests ahead of
     * need. */
    void (*talk)(struct keel_mpi_worker *worker);
    /* An answer to a request; whoever takes it holds the channel. */
    void (*answer)(struct keel_mpi_loop *loop, const struct keel_mpi_message *message);
};

extern const struct keel_mpi_claim_method keel_mpi_claim_by_counter, keel_mpi_claim_by_blocks;

/* Whether nothing is left to claim, and all that this rank has claimed has been begun. */
bool keel_mpi_counter_is_over(const struct keel_mpi_loop *loop);

/* Sees to a message that asks for what a node's window has. False: the loop's window is not open
 * yet. */
bool keel_mpi_counter_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);
bool keel_mpi_blocks_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);

/* The rank's leader has run the last iteration and may run no other. If the rank has no other
 * thread, what others send it late goes on to another node: ranks of its own may think that they
 * need not help it. */
void keel_mpi_blocks_forward(struct keel_mpi_loop *loop);

enum keel_mpi_agreement {
    KEEL_MPI_AGREEMENT_NONE,     /* not asked the others yet */
    KEEL_MPI_AGREEMENT_PENDING,  /* their answers are on their way */
    KEEL_MPI_AGREEMENT_SAME,     /* all run the same loop */
    KEEL_MPI_AGREEMENT_MISMATCH, /* they do not */
    KEEL_MPI_AGREEMENT_NO_LOOP,  /* no rank has run it at all */
};

/* Fields without a note are written by whoever opens the loop, before workers see it. */
struct keel_mpi_loop {
    struct keel_mpi_job *job;
    struct keel_mpi_loop *spare; /* the next of those for another time */
    uint64_t number;             /* in the job, from 1 */
    bool waits;                  /* its end waits for all iterations */
    bool whole;        /* the program takes what the schedule says in one chunk, without threads */
    _Atomic int stage; /* see open.c */
    struct keel_mpi_window *window;
    uint64_t iterations; /* N */
    uint64_t grain;      /* iterations that stay together, >= 1 */
    uint64_t units;      /* of as many iterations: what ranks and threads divide */
    uint64_t check;      /* equal on all ranks that run the same loop; 0: no loop has come */
    uint32_t threads;
    bool timed;                          /* chunks are timed */
    struct keel_ranks_schedule schedule; /* in units, as both specs are */
    struct keel_spec spec;               /* that ranks run, every measured parameter filled in */
    struct keel_spec local;              /* that the rank's threads run */
    const struct keel_mpi_claim_method *claim_method;
    struct keel_mpi_record *record;
    uint64_t (*block)[2]; /* of each rank of the node; NULL: no blocks */
    struct keel_mpi_worker *worker;
    struct keel_mpi_worker only; /* `worker` where there is no memory */
    double poll_ns;
    _Atomic uint64_t active;    /* of which loop, and how many workers are in it; see loop.c */
    _Atomic double progress_ns; /* when messages were last looked at; by who calls_mpi */

    /* With the other ranks; by who calls_mpi. */
    enum keel_mpi_agreement agreement;
    MPI_Request agreement_request, figures_request;
    uint64_t proposed[2], agreed[2];
    struct keel_mpi_rank_figures figures, *all_figures;
    struct keel_mpi_loop_identity identity; /* this rank, see agreement.h */
    const void *caller;                     /* where the loop starts in the program ... */
    void (*outlined)(void *);
    bool figures_sent;
    bool failed;               /* its job has: each rank runs what it has not executed */
    bool absent;               /* the rank has not come to the window */
    bool refused;              /* keel_mpi_share() has returned its code */
    bool mismatch_reported;    /* what ranks came with is known to all, and told */
    bool left;                 /* the rank has nothing more to do with the window */
    int code;                  /* KEEL_MPI_... of its end */
    int last_rank;             /* that ran the last iteration; -1: none */
    uint64_t messages;         /* sent for it */
    uint64_t reported;         /* leader: iterations that it has told of */
    bool count_sent;           /* leader: has told of them at all */
    uint32_t children_counted; /* leader: nodes below it that have */
    double idle_since_ns;      /* leader: when there was nothing left on the node; 0: not yet */
    uint64_t below;            /* leader: iterations that the nodes below it have told of */
    bool told;                 /* leader: has told the nodes below it of the end */
    bool cancel_sent;          /* leader: has told the node above that the loop is cancelled */

    /* counter.c */
    struct keel_plan *plan, small;
    _Atomic uint64_t own_step;    /* schedules whose chunks are fixed for each rank; by all */
    atomic_bool exhausted;        /* nothing is left to claim; by all */
    _Atomic uint64_t claimed;     /* iterations that this rank has claimed; by all */
    atomic_uint claiming_workers; /* workers that are about to claim; by all */
    struct keel_cursor cursor;    /* for answers; by who calls_mpi */
    struct keel_claim_context
        claim_context; /* sized claims, answers; by who holds `sizing`, or calls_mpi */
    atomic_flag sizing;
    uint64_t claims;    /* sized: made so far */
    uint64_t known;     /* how far the counter is known to be */
    bool claim_pending; /* a DRAW is on its way; by who calls_mpi */

    /* blocks.c; by who calls_mpi */
    struct keel_tree_links links;
    struct keel_victim_search victims;
    bool waiting;     /* a round was in vain */
    double asked_ns;  /* when it last asked */
    double pause_ns;  /* how long it waits after a round in vain; grows */
    double resume_ns; /* when it asks again */
    uint64_t migrations, migrated;

    struct keel_mpi_range_list
        overflow;          /* what arrived and found no range; by who holds the channel */
    atomic_bool overflows; /* there is some; by who holds the channel */

    /* Its end. */
    bool alone;          /* runs what is left by itself */
    uint64_t alone_from; /* how far it has come */
    struct keel_mpi_range_list
        ranges; /* what the rank has executed: units, iterations once `left` */
    struct keel_mpi_loop_report report;
};

/* A loop of `comm`'s job, without iterations yet, that is the job's next one. NULL: no memory. */
struct keel_mpi_loop *keel_mpi_loop_new(struct keel_mpi_job *job, bool waits);

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

/* Comes to loop number `number`; the first one opens it. NULL: it is over already, or there is no
 * memory, and the loop's first worker gets all. Loops are reused, never freed, so that whoever
 * comes late finds that this one is another by now. */
struct keel_mpi_worker *keel_mpi_worker_join(struct keel_mpi_loop *loop, uint64_t number,
                                             const struct keel_mpi_worker_start *start);

/* The worker's next chunk, in iterations; false: it gets no other. */
bool keel_mpi_worker_next(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);

/* The worker is done. finished: keel_mpi_worker_next() has said so; else it cancels the loop for
 * all. */
void keel_mpi_worker_leave(struct keel_mpi_worker *worker, bool finished);

/* The leader finds the loop cancelled: tells the others, and waits for nobody. Threads of the rank
 * may wait for the leader by now; what they have done is noted when somebody asks for results. */
void keel_mpi_loop_cancel(struct keel_mpi_loop *loop);

/* No loop will come: tells the others. */
void keel_mpi_loop_forfeit(struct keel_mpi_loop *loop);

/* Waits for the figures of the loop, or of all of the job. By a thread that may call MPI. */
void keel_mpi_loop_complete(struct keel_mpi_loop *loop);
void keel_mpi_loop_complete_all(struct keel_mpi_job *job);

/* Nobody will ask for results of the job's latest loop any more. */
void keel_mpi_loop_forget(struct keel_mpi_job *job);

/* Takes back the offer of a loop that no loop has come for; whoever asks for results, shares again
 * or ends the job. */
void keel_mpi_loop_abandon(struct keel_mpi_job *job);

/* Frees loops that are complete. */
void keel_mpi_loop_free_all(struct keel_mpi_job *job);

/* --- for claim_method and talk.c --- */

/* Looks for messages and at what the others have to be told; waits for nothing. */
void keel_mpi_progress_if_due(struct keel_mpi_worker *worker);

/* The same at once. worker: one that wants iterations; NULL: nobody does. Whether anything has
 * come, so that it is worth to look again. */
bool keel_mpi_progress_now(struct keel_mpi_loop *loop, struct keel_mpi_worker *worker);

/* The same by who holds the channel, for nobody who wants iterations. */
void keel_mpi_progress_locked(struct keel_mpi_loop *loop);

/* The same from within a chunk, if it is time to. Any thread. */
void keel_mpi_progress_poll(struct keel_mpi_loop *loop);

/* Sends what the rank has to tell of the whole loop to all others; has the answers come? By who
 * holds the channel. */
void keel_mpi_loop_exchange(struct keel_mpi_loop *loop);
bool keel_mpi_loop_is_exchanged(struct keel_mpi_loop *loop);

/* Whether MPI has failed, or ranks are late: then the loop is not shared any more. */
bool keel_mpi_loop_has_failed(struct keel_mpi_loop *loop);

/* A wait in the loop, for others; and a look at it, of those in a row that number `looks`. False:
 * others are late, or MPI has failed. By threads that may call MPI. */
struct keel_mpi_wait_state keel_mpi_loop_wait(const struct keel_mpi_loop *loop);
bool keel_mpi_loop_wait_goes_on(struct keel_mpi_loop *loop, struct keel_mpi_wait_state *wait,
                                unsigned looks);

/* Whether it is known if all ranks run the same loop and, if not, has been told. */
bool keel_mpi_loop_is_agreed(const struct keel_mpi_loop *loop);

/* Opens it, or waits until another thread has (open.c). */
void keel_mpi_loop_open(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start);

/* Whether workers can have come to it. */
bool keel_mpi_loop_is_open(const struct keel_mpi_loop *loop);

/* Whether there will be nothing more to take. On one node, whoever looks finds out (claims.c). */
bool keel_mpi_loop_is_over(struct keel_mpi_loop *loop);

/* The chunk that the worker ran is over. */
void keel_mpi_worker_end_chunk(struct keel_mpi_worker *worker);

/* Its next chunk, of what the rank holds or can claim; false: there is none now. */
bool keel_mpi_worker_claim(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);

/* Notes that the worker begins iterations [first, last). */
void keel_mpi_worker_begin_chunk(struct keel_mpi_worker *worker, uint64_t first, uint64_t last);

/* Relative speed of a rank of the job, as far as it is known beforehand. */
double keel_mpi_loop_weight(const struct keel_mpi_loop *loop, uint32_t rank);

/* Whether workers are in it. */
bool keel_mpi_loop_is_active(const struct keel_mpi_loop *loop);

/* Lets nobody come any more; false: workers are in it. own: of these, the caller. */
bool keel_mpi_loop_close(struct keel_mpi_loop *loop, unsigned own);

/* The leader is done, and all other workers: the rank's part is over. */
void keel_mpi_loop_finish(struct keel_mpi_loop *loop);

/* All that the rank's workers have executed, in loop->ranges. */
void keel_mpi_loop_collect_ranges(struct keel_mpi_loop *loop);

/* The answer to what was asked at loop->asked_ns has come: goes into job->answer_ns. */
void keel_mpi_loop_note_answer(struct keel_mpi_loop *loop);

/* Iterations have come for the rank; by who holds the channel. */
void keel_mpi_loop_add_range(struct keel_mpi_loop *loop, uint64_t first, uint64_t last);

void keel_mpi_progress_send(struct keel_mpi_loop *loop, uint32_t rank,
                            struct keel_mpi_message message);

/* Holds the channel: nobody else calls MPI for Keel meanwhile. */
void keel_mpi_job_lock(struct keel_mpi_job *job);
bool keel_mpi_job_try_lock(struct keel_mpi_job *job);
void keel_mpi_job_unlock(struct keel_mpi_job *job);

/* Pace of the rank: its threads together as one worker. */
struct keel_pace keel_mpi_loop_pace(const struct keel_mpi_loop *loop);

#endif
