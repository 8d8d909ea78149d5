/* Messages between the ranks of a communicator of Keel's own beside their work: an error of one
 * rank becomes the code of all, a rank that withdraws says so, and one that is asked says whether
 * it waits.
 *
 *   MPI call -> keel_mpi_check() -> an error: the peers are done for -> notice to all
 *   roll call (peers.h) -> notice to all -> each rank's next look -> notice back: its answer */
#ifndef MPI_BACKEND_JOB_PEERS_H
#define MPI_BACKEND_JOB_PEERS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/processes.h"

/* A call of the roll, and the answers to it. */
enum keel_mpi_notice {
    KEEL_MPI_NOTICE_CALL, /* in place of an answer: none has come */
    KEEL_MPI_NOTICE_WAITS,
    KEEL_MPI_NOTICE_WORKS,
    KEEL_MPI_NOTICE_ELSEWHERE /* it waits at another place */
};

#define KEEL_MPI_MAXIMA_MAX 8

struct keel_mpi_peers {
    MPI_Comm comm; /* Keel's own */
    MPI_Comm
        notices; /* beside it: who waits, and what has gone wrong; MPI_COMM_NULL: no notices are
                       sent, and no rank counts as late */
    MPI_Comm settling; /* where the ranks that are left agree (ulfm.c); peers->comm: no other one */
    uint32_t rank, ranks;
    bool traced;                  /* by all of them, in the trace that libkeel.so writes */
    struct keel_mpi_hosts *hosts; /* of all ranks; NULL: not known */
    unsigned char *answer;        /* of each rank, to the last roll call */
    const char *where;            /* this rank last waited; a rank elsewhere has not come there */
    const char *call; /* function that all ranks have to call there, for messages; or NULL */
    uint64_t roll;    /* a roll call, which messages on their way read */
    struct keel_mpi_processes processes; /* of the ranks on this machine */
    _Atomic int code;                    /* KEEL_MPI_OK, or what has gone wrong for good */
    double polled_s;                     /* when notices were last looked for */
    /* Of the ranks that have withdrawn, as far as is known here: the fewest meetings that one of
     * them has reached, and its number. UINT64_MAX: none has withdrawn. */
    uint64_t fewest_meetings;
    uint32_t withdrawn;
    uint64_t withdrawal; /* of this rank: messages on their way read it */
    uint64_t word[2]
                 [KEEL_MPI_MAXIMA_MAX]; /* of keel_mpi_peers_maxima(), this rank's and all ranks' */
    uint64_t ill[2];                    /* of keel_mpi_all_are_well() */
    int count;                          /* that operations read */
};

/* Checks the result of a call of MPI. Returns false if it failed, which is printed once; with
 * `peers`, their code is KEEL_MPI_ERROR from now on, or KEEL_MPI_RANKS_LOST if MPI reports that
 * (ulfm.c), and the others get a notice. */
bool keel_mpi_check(struct keel_mpi_peers *peers, int returned, const char *call);

/* The same of KEEL_MPI_CALL(peers, MPI_Wait, request, status), which it makes. */
#define KEEL_MPI_CALL(peers, function, ...) keel_mpi_check(peers, function(__VA_ARGS__), #function)

/* Whether a call has failed that was not among any peers: this process and others may be at
 * different operations since, so that it begins none any more. */
bool keel_mpi_check_is_broken(void);

/* Sends the others that this rank comes to no more meetings than these. The peers stay usable.
 * Once. */
void keel_mpi_peers_withdraw(struct keel_mpi_peers *peers, uint64_t meetings);

/* Whether a rank in meeting number `meeting`, from 1, waits in vain: some rank has reached `last`
 * meetings and reaches no more. */
static inline bool keel_mpi_meeting_is_in_vain(uint64_t meeting, uint64_t last)
{
    return last < meeting;
}

/* They have failed, with that code: sends it to the others, once. */
void keel_mpi_peers_fail(struct keel_mpi_peers *peers, int code);

static inline int keel_mpi_peers_code(const struct keel_mpi_peers *peers)
{
    return peers->code;
}

/* Takes notices of others, without waiting. waits: this rank waits; false: it computes. */
void keel_mpi_peers_poll(struct keel_mpi_peers *peers, bool waits);

/* The same if that was not done for `apart_s`. */
void keel_mpi_peers_poll_every(struct keel_mpi_peers *peers, bool waits, double now_s,
                               double apart_s);

/* Asks all others whether they wait where this rank does; answers come by keel_mpi_peers_poll(). */
void keel_mpi_notices_call(struct keel_mpi_peers *peers);

/* --- half_made.c --- */

/* The function is called as MPI_Finalize() begins; those that came last are called first. False: a
 * call of MPI has failed. */
bool keel_mpi_at_finalize(void (*function)(void));

/* What MPI_Comm_idup() makes. Stays where it is until that is done. */
struct keel_mpi_making {
    MPI_Comm copy;
    MPI_Request request;
    struct keel_mpi_making *next; /* that was given up before */
};

/* This rank waits no longer for a copy. MPI has no way to call it off. */
void keel_mpi_making_give_up(struct keel_mpi_making *making);

/* --- peers.c ---
 *
 * The ranks that a communicator of Keel's own connects: whether calls of MPI succeed, how long this
 * rank waits for others, and for whom.
 *
 *   MPI call -> keel_mpi_check() -> an error: [peers] have failed, notice to others
 *   wait -> KEEL_MPI_DEADLINE -> who else waits? -> message: for whom -> goes on, or KEEL_MPI_LATE
 *     \--> each second: has a process on this machine ended, or been stopped? -> message
 *              -> KEEL_MPI_RANKS_LOST, or KEEL_MPI_LATE: no wait can succeed
 *
 * A rank that can go on without the others withdraws instead: it sends the number of the last
 * meeting that it has reached, so that no rank waits for it in a later one.
 *
 * Once something has gone wrong, nothing is collective any more: every function returns the code.
 * Buffers of pending operations are never freed. Called by one thread
 * at a time, which may call MPI. */

/* --- opening --- */

/* Connects the ranks of `comm`, which becomes Keel's if it returns KEEL_MPI_OK; with another code,
 * on all ranks that could be reached, nothing is open, and `comm` is as before. Collective. */
int keel_mpi_peers_open(struct keel_mpi_peers *peers, MPI_Comm comm);

/* Frees what keel_mpi_peers_open() made, and the communicator. Collective, if nothing has gone
 * wrong.
 */
void keel_mpi_peers_close(struct keel_mpi_peers *peers);

/* A copy of the communicator; KEEL_MPI_OK, or the code of the peers: there is none. Made after
 * all have agreed to call this, as no rank can give it up alone. If one gave up before, the others
 * get its code. Collective. */
int keel_mpi_peers_copy(struct keel_mpi_peers *peers, const char *where, MPI_Comm *copy);

/* --- waiting --- */

/* One wait for others. */
struct keel_mpi_wait_state {
    struct keel_mpi_peers *peers;
    const char *where; /* for messages: "in keel_mpi_gather()" */
    /* Writes the same, where it is not a constant; NULL. text: of KEEL_MPI_WAIT_WHERE bytes. */
    void (*write)(const void *subject, char *text);
    /* If ranks can't ask each other, writes for which ranks this one waits; false: another rank
     * prints them. NULL: for other ranks. */
    bool (*list)(const void *subject, char *text, size_t size);
    const void *subject;
    bool gives_up; /* the wait, with KEEL_MPI_LATE, whatever KEEL_MPI_ON_LATE says; the peers are
                      none the worse for it */
    bool ends;     /* MPI itself waits for the others behind it: whatever KEEL_MPI_ON_LATE says */
    bool bound;    /* the others' KEEL_MPI_LATE does not end it: they may have gone on as agreed */
    bool late;     /* it has, or some rank has withdrawn: */
    /* The wait gives up if a rank has withdrawn before this meeting; 0: it is for no meeting. */
    uint64_t meeting;
    bool in_vain; /* that was so */
    double limit_s;
    double began_s, next_s, look_s;
    unsigned looks; /* in vain */
    struct keel_mpi_give_way way;
    bool looked;   /* at processes, once or more */
    bool stopped;  /* a rank has been, for the deadline */
    bool called;   /* the roll, and answers are on their way */
    bool deferred; /* to a rank before this one, which prints it */
};
#define KEEL_MPI_WAIT_WHERE 200

struct keel_mpi_wait_state keel_mpi_wait_begin(struct keel_mpi_peers *peers, const char *where);

/* Bounds of waits, not measured. A wait looks KEEL_MPI_LOOKS times, for about 20 us, before others
 * get its processor between two looks. Messages of peers are polled for this often, s: where ranks
 * wait or exchange halos, and where they compute. A rank that computes looks for messages of others
 * KEEL_MPI_PROGRESS_PART times within the time in which it is to answer. */
#define KEEL_MPI_LOOKS 64
#define KEEL_MPI_POLLS_CLOSE_S 1e-3
#define KEEL_MPI_POLLS_APART_S 0.1
#define KEEL_MPI_PROGRESS_PART 8

/* After a look in vain: gives way, unless these looks are the first ones. False: the wait is over,
 * as of keel_mpi_wait_goes_on(). */
bool keel_mpi_wait_again(struct keel_mpi_wait_state *wait);

/* To be called again and again in the course of a wait. Says for whom it waits, ever more rarely.
 * False: the wait is over without success, and keel_mpi_wait_code() says why. */
bool keel_mpi_wait_goes_on(struct keel_mpi_wait_state *wait);

static inline int keel_mpi_wait_code(const struct keel_mpi_wait_state *wait)
{
    int code = wait->late ? KEEL_MPI_LATE : keel_mpi_peers_code(wait->peers);

    return code == KEEL_MPI_LATE && wait->bound && !wait->late ? KEEL_MPI_OK : code;
}

/* Whether a request is complete, or MPI_REQUEST_NULL. */
bool keel_mpi_peers_test(struct keel_mpi_peers *peers, MPI_Request *request);

/* Waits for all requests: KEEL_MPI_OK, or the code of the peers. */
int keel_mpi_peers_await(struct keel_mpi_peers *peers, const char *where, int count,
                         MPI_Request *request);

/* The same with a wait of one's own. */
int keel_mpi_wait_for(struct keel_mpi_wait_state *wait, int count, MPI_Request *request);

/* Maxima of up to KEEL_MPI_MAXIMA_MAX numbers over all ranks, in place. Takes no memory.
 * Collective. */
int keel_mpi_peers_maxima(struct keel_mpi_peers *peers, const char *where, uint64_t *number,
                          int count);

/* Starts to find them over a communicator of these ranks. False: MPI has failed. */
bool keel_mpi_peers_start_maxima(struct keel_mpi_peers *peers, MPI_Comm comm, const uint64_t *own,
                                 uint64_t *all, int count, MPI_Request *request);

/* All ranks get what each has, as many bytes. False: that failed, as the code of the peers says.
 * Collective. */
bool keel_mpi_peers_allgather(struct keel_mpi_peers *peers, const char *where, const void *own,
                              void *all, size_t bytes);

/* --- whether all ranks are well ---
 *
 * For before operations that can't be called off, as MPI_Comm_split().
 *
 *   each rank: has all worked so far? -> all ranks come -> none begins the operation, or all do
 *
 * Where one rank went into such an operation and another one did not, the first would stay there
 * for ever. So a rank comes here also if a call of MPI has failed on it, or on another one. It
 * isn't well, then, and all ranks learn that. But if that happens while it waits here, the others
 * may have gone on: it goes with them, until all come here again. */

/* The same on all ranks where it succeeds. Returns false if no rank comes here again. ends: a
 * communicator or MPI ends, which waits for all ranks anyway, so that none gives up. One thread
 * that may call MPI; collective. */
bool keel_mpi_all_are_well(struct keel_mpi_peers *peers, const char *where, bool well, bool ends);

/* --- copies of communicators ---
 *
 * A copy of the program's communicator.
 *
 *   all ranks come -> MPI_Comm_idup -> the copy
 *       |
 *   KEEL_MPI_DEADLINE passes -> which ranks have come? -> a message -> wait on, or KEEL_MPI_LATE
 *
 * Keel has no other operation on the program's communicator. Both operations are non-blocking ones,
 * so that they are never matched with operations of the program there. */

/* A copy of the program's communicator, on which nothing of Keel's runs afterwards.
 * KEEL_MPI_OK; KEEL_MPI_LATE, KEEL_MPI_ERROR: there is none, and will be none. where: the function
 * that the program has called. Collective. */
int keel_mpi_communicator_copy(MPI_Comm comm, const char *where, MPI_Comm *copy);

/* No copy of that communicator is made any more: keel_mpi_communicator_copy() returns the code. */
void keel_mpi_communicator_give_up(MPI_Comm comm, int code);

#endif
