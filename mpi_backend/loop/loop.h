/* One rank's part in one loop that is shared by all ranks of a job.
 *
 *   share.c (OpenMP teams), explicit.c -> keel_loop_join() -> keel_loop_next() ... _leave()
 *                                                  |
 *          cells of the board -> claiming: counter.c or blocks.c -> letters (talk.c)
 *
 * Everything here, on the board, in letters and in records counts units of the loop's grain
 * (schedules/claim/grain.h), so that no rank and no thread separates what belongs together; what
 * faces the program counts iterations: keel_loop_next(), the ranges of a loop that is complete,
 * reports.
 *
 * A taker is a thread that takes chunks; a loop without OpenMP has one. Any taker may claim from
 * the board; those that may call MPI also talk: they answer letters between their chunks. Taker 0
 * leads: it settles with the other ranks whether all run the same loop, and how it went. */
#ifndef MPI_BACKEND_LOOP_LOOP_H
#define MPI_BACKEND_LOOP_LOOP_H

#include "mpi_backend/job/job.h"
#include "schedules/ranks/loop_policy.h"
#include "mpi_backend/results/range_list.h"
#include "mpi_backend/loop/record.h"
#include "schedules/balance/victim.h"
#include "schedules/claim/claim.h"
#include "schedules/claim/sizer.h"

struct keel_mpi_loop;

/* One thread's part. Written by that thread; `ranges` and the figures are read when all are
 * done. */
struct keel_taker {
    struct keel_mpi_loop *loop;
    uint32_t thread;
    bool leads;
    bool talks;             /* may call MPI */
    bool over;              /* has had its last chunk */
    bool ended;             /* that was the one which ends the loop: compilers take the thread whose
                               last chunk does for the one that sets lastprivate variables */
    struct keel_cell *cell; /* for what it holds beyond its chunk; shared from 17 threads on */
    struct keel_sizer sizer;
    struct keel_paces team;    /* of the rank's threads, as last looked at */
    uint64_t refresh;          /* at which number of chunks to look again */
    struct keel_cursor cursor; /* counter: its walk along the plan */
    struct keel_ranges ranges;
    uint64_t chunk;  /* units of the chunk that runs; 0: none */
    double asked_ns; /* when the last chunk ended */
    double start_ns; /* when the chunk began */
    uint64_t chunks;
    double busy_ns, overhead_ns;
    uint64_t migrations, migrated;
};

/* How ranks get iterations that they do not hold yet. */
struct keel_claiming {
    /* Works out what only the loop's own process needs; false: no memory. */
    bool (*open)(struct keel_mpi_loop *loop);
    /* More iterations for the rank: [*first, *last) belong to the taker. False: none now. */
    bool (*refill)(struct keel_taker *taker, uint64_t *first, uint64_t *last);
    /* Between chunks of a taker that talks, with more than one node: requests ahead of need. */
    void (*talk)(struct keel_taker *taker);
    /* An answer to a request; whoever takes it holds the post. */
    void (*answer)(struct keel_mpi_loop *loop, const struct keel_letter *letter);
};

extern const struct keel_claiming keel_claiming_counter, keel_claiming_blocks;

/* Whether nothing is left to claim, and all that this rank has claimed has been begun. */
bool keel_counter_is_over(const struct keel_mpi_loop *loop);

/* Sees to a letter that asks for what a node's board has. False: the loop's board is not open
 * yet. */
bool keel_counter_serve(struct keel_job *job, const struct keel_letter *letter);
bool keel_blocks_serve(struct keel_job *job, const struct keel_letter *letter);

/* The rank's leader has run the last iteration and may run no other. If the rank has no other
 * thread, what others send it late goes on to another node: ranks of its own may think that they
 * need not help it. */
void keel_blocks_hand_on(struct keel_mpi_loop *loop);

enum keel_agreement {
    KEEL_AGREEMENT_NONE,   /* not asked the others yet */
    KEEL_AGREEMENT_ASKED,  /* their answers are on their way */
    KEEL_AGREEMENT_SAME,   /* all run the same loop */
    KEEL_AGREEMENT_APART,  /* they do not */
    KEEL_AGREEMENT_NOBODY, /* no rank has run it at all */
};

/* Fields without a note are written by whoever opens the loop, before takers see it. */
struct keel_mpi_loop {
    struct keel_job *job;
    struct keel_mpi_loop *spare; /* the next of those for another time */
    uint64_t number;             /* in the job, from 1 */
    bool waits;                  /* its end waits for all iterations */
    bool whole;        /* the program takes what the schedule says in one chunk, without threads */
    _Atomic int stage; /* see open.c */
    struct keel_board *board;
    uint64_t iterations; /* N */
    uint64_t grain;      /* iterations that stay together, >= 1 */
    uint64_t units;      /* of as many iterations: what ranks and threads divide */
    uint64_t check;      /* equal on all ranks that run the same loop; 0: no loop has come */
    uint32_t threads;
    bool timed;                        /* chunks are timed */
    struct keel_mpi_schedule schedule; /* in units, as both specs are */
    struct keel_spec spec;             /* that ranks run, every measured parameter filled in */
    struct keel_spec local;            /* that the rank's threads run */
    const struct keel_claiming *claiming;
    struct keel_loop_record *record;
    uint64_t (*block)[2]; /* of each rank of the node; NULL: no blocks */
    struct keel_taker *taker;
    struct keel_taker only; /* `taker` where there is no memory */
    double poll_ns;
    _Atomic uint64_t active;  /* of which loop, and how many takers are in it; see loop.c */
    _Atomic double talked_ns; /* when letters were last looked at; by who talks */

    /* With the other ranks; by who talks. */
    enum keel_agreement agreement;
    MPI_Request agreement_request, figures_request;
    uint64_t offered[2], agreed[2];
    struct keel_figures figures, *all_figures;
    struct keel_came came; /* this rank, see agreement.h */
    const void *caller;    /* where the loop starts in the program ... */
    void (*outlined)(void *);
    bool figures_sent;
    bool failed;      /* its job has: each rank runs what it has not executed */
    bool absent;      /* the rank has not come to the board */
    bool refused;     /* keel_mpi_share() has returned its code */
    bool apart_told;  /* what ranks came with is known to all, and told */
    bool left;        /* the rank has nothing more to do with the board */
    int code;         /* KEEL_MPI_... of its end */
    int last_rank;    /* that ran the last iteration; -1: none */
    uint64_t letters; /* sent for it */
    uint64_t counted; /* leader: iterations that it has told of */
    bool count_told;  /* leader: has told of them at all */
    uint32_t heard;   /* leader: nodes below it that have */
    double dry_ns;    /* leader: when there was nothing left on the node; 0: not yet */
    uint64_t below;   /* leader: iterations that the nodes below it have told of */
    bool told;        /* leader: has told the nodes below it of the end */
    bool cancel_told; /* leader: has told the node above that the loop is cancelled */

    /* counter.c */
    struct keel_plan *plan, small;
    _Atomic uint64_t own_step; /* schedules whose chunks are fixed for each rank; by all */
    atomic_bool exhausted;     /* nothing is left to claim; by all */
    _Atomic uint64_t drawn;    /* iterations that this rank has claimed; by all */
    atomic_uint draws;         /* takers that are about to claim; by all */
    struct keel_cursor cursor; /* for answers; by who talks */
    struct keel_turn turn;     /* sized claims, answers; by who holds `sizing`, or talks */
    atomic_flag sizing;
    uint64_t claims; /* sized: made so far */
    uint64_t known;  /* how far the counter is known to be */
    bool drawing;    /* a DRAW is on its way; by who talks */

    /* blocks.c; by who talks */
    struct keel_tree_links links;
    struct keel_seek seek;
    bool waiting;     /* a round was in vain */
    double asked_ns;  /* when it last asked */
    double pause_ns;  /* how long it waits after a round in vain; grows */
    double resume_ns; /* when it asks again */
    uint64_t migrations, migrated;

    struct keel_ranges overflow; /* what arrived and found no cell; by who holds the post */
    atomic_bool overflows;       /* there is some; by who holds the post */

    /* Its end. */
    bool alone;                /* runs what is left by itself */
    uint64_t alone_from;       /* how far it has come */
    struct keel_ranges ranges; /* what the rank has executed: units, iterations once `left` */
    struct keel_mpi_report report;
};

/* A loop of `comm`'s job, without iterations yet, that is the job's next one. NULL: no memory. */
struct keel_mpi_loop *keel_loop_new(struct keel_job *job, bool waits);

/* What a taker brings along. */
struct keel_taker_start {
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
 * memory, and the loop's first taker gets all. Loops are reused, never freed, so that whoever comes
 * late finds that this one is another by now. */
struct keel_taker *keel_loop_join(struct keel_mpi_loop *loop, uint64_t number,
                                  const struct keel_taker_start *start);

/* The taker's next chunk, in iterations; false: it gets no other. */
bool keel_loop_next(struct keel_taker *taker, uint64_t *first, uint64_t *last);

/* The taker is done. finished: keel_loop_next() has said so; else it cancels the loop for all. */
void keel_loop_leave(struct keel_taker *taker, bool finished);

/* The leader finds the loop cancelled: tells the others, and waits for nobody. Threads of the rank
 * may wait for the leader by now; what they have done is noted when somebody asks for results. */
void keel_loop_cancel(struct keel_mpi_loop *loop);

/* No loop will come: tells the others. */
void keel_loop_forfeit(struct keel_mpi_loop *loop);

/* Waits for the figures of the loop, or of all of the job. By a thread that may call MPI. */
void keel_loop_complete(struct keel_mpi_loop *loop);
void keel_loop_complete_all(struct keel_job *job);

/* Nobody will ask for results of the job's latest loop any more. */
void keel_loop_forget(struct keel_job *job);

/* Takes back the offer of a loop that no loop has come for; whoever asks for results, shares again
 * or ends the job. */
void keel_loop_abandon(struct keel_job *job);

/* Frees loops that are complete. */
void keel_loop_release_all(struct keel_job *job);

/* --- for claiming and talk.c --- */

/* Looks for letters and at what the others have to be told; waits for nothing. */
void keel_loop_talk(struct keel_taker *taker);

/* The same at once. taker: one that wants iterations; NULL: nobody does. Whether anything has come,
 * so that it is worth to look again. */
bool keel_loop_attend(struct keel_mpi_loop *loop, struct keel_taker *taker);

/* The same by who holds the post, for nobody who wants iterations. */
void keel_loop_attend_held(struct keel_mpi_loop *loop);

/* The same from within a chunk, if it is time to. Any thread. */
void keel_loop_poll(struct keel_mpi_loop *loop);

/* Sends what the rank has to tell of the whole loop to all others; has the answers come? By who
 * holds the post. */
void keel_loop_exchange(struct keel_mpi_loop *loop);
bool keel_loop_exchanged(struct keel_mpi_loop *loop);

/* Whether MPI has failed, or ranks are late: then the loop is not shared any more. */
bool keel_loop_has_failed(struct keel_mpi_loop *loop);

/* A wait in the loop, for others; and a look at it, of those in a row that number `looks`. False:
 * others are late, or MPI has failed. By threads that may call MPI. */
struct keel_wait keel_loop_wait(const struct keel_mpi_loop *loop);
bool keel_loop_waits_on(struct keel_mpi_loop *loop, struct keel_wait *wait, unsigned looks);

/* Whether it is known if all ranks run the same loop and, if not, has been told. */
bool keel_loop_is_settled(const struct keel_mpi_loop *loop);

/* Opens it, or waits until another thread has (open.c). */
void keel_loop_ready(struct keel_mpi_loop *loop, const struct keel_taker_start *start);

/* Whether takers can have come to it. */
bool keel_loop_is_open(const struct keel_mpi_loop *loop);

/* Whether there will be nothing more to take. On one node, whoever looks finds out (claims.c). */
bool keel_loop_is_over(struct keel_mpi_loop *loop);

/* The chunk that the taker ran is over. */
void keel_taker_account(struct keel_taker *taker);

/* Its next chunk, of what the rank holds or can claim; false: there is none now. */
bool keel_taker_claim(struct keel_taker *taker, uint64_t *first, uint64_t *last);

/* Notes that the taker begins iterations [first, last). */
void keel_taker_begin_chunk(struct keel_taker *taker, uint64_t first, uint64_t last);

/* Relative speed of a rank of the job, as far as it is known beforehand. */
double keel_loop_weight(const struct keel_mpi_loop *loop, uint32_t rank);

/* Whether takers are in it. */
bool keel_loop_is_active(const struct keel_mpi_loop *loop);

/* Lets nobody come any more; false: takers are in it. own: of these, the caller. */
bool keel_loop_close(struct keel_mpi_loop *loop, unsigned own);

/* The leader is done, and all other takers: the rank's part is over. */
void keel_loop_finish(struct keel_mpi_loop *loop);

/* All that the rank's takers have executed, in loop->ranges. */
void keel_loop_gather_ranges(struct keel_mpi_loop *loop);

/* The answer to what was asked at loop->asked_ns has come: goes into job->answer_ns. */
void keel_loop_time_answer(struct keel_mpi_loop *loop);

/* Iterations have come for the rank; by who holds the post. */
void keel_loop_arrive(struct keel_mpi_loop *loop, uint64_t first, uint64_t last);

void keel_loop_send(struct keel_mpi_loop *loop, uint32_t rank, struct keel_letter letter);

/* Holds the post: nobody else calls MPI for Keel meanwhile. */
void keel_job_hold(struct keel_job *job);
bool keel_job_try_hold(struct keel_job *job);
void keel_job_release(struct keel_job *job);

/* Pace of the rank: its threads together as one worker. */
struct keel_pace keel_loop_pace(const struct keel_mpi_loop *loop);

#endif
