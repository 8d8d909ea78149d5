/* The ranks that a communicator of Keel's own connects: whether calls of MPI succeed, how long this
 * rank waits for others, and for whom.
 *
 *   MPI call -> keel_mpi_check() -> an error: [peers] are done for, others are told
 *   wait -> KEEL_MPI_DEADLINE -> who else waits? -> message: for whom -> goes on, or KEEL_MPI_LATE
 *     \--> each second: has a process on this machine ended, or been stopped? -> message
 *              -> KEEL_MPI_RANKS_LOST, or KEEL_MPI_LATE: no wait could end well
 *
 * A rank that can go on without the others withdraws instead: it says to how many of the meetings
 * that all ranks number alike it has come, and those that wait for it in a later one learn that.
 *
 * Once something has gone wrong, nothing is collective any more: every function returns the code.
 * What operations that are still on their way read and write stays for ever. Called by one thread
 * at a time, which may call MPI. */
#ifndef MPI_BACKEND_JOB_PEERS_H
#define MPI_BACKEND_JOB_PEERS_H

#include "mpi_backend/job/notices.h"

/* --- opening --- */

/* Connects the ranks of `comm`, which becomes Keel's, by KEEL_MPI_OK; another code, on all ranks
 * that could be told: nothing is open, and `comm` is as before. Collective. */
int keel_mpi_peers_open(struct keel_mpi_peers *peers, MPI_Comm comm);

/* Frees what keel_mpi_peers_open() made, and the communicator. Collective, if nothing has gone
 * wrong.
 */
void keel_mpi_peers_close(struct keel_mpi_peers *peers);

/* --- waiting --- */

/* One wait for others. */
struct keel_mpi_wait_state {
    struct keel_mpi_peers *peers;
    const char *where; /* for messages: "in keel_mpi_gather()" */
    /* Writes the same, where it is not a constant; NULL. text: of KEEL_MPI_WAIT_WHERE bytes. */
    void (*write)(const void *subject, char *text);
    /* Where ranks can't ask each other, writes for whom this one waits; false: another one tells of
     * them. NULL: for other ranks. */
    bool (*list)(const void *subject, char *text, size_t size);
    const void *subject;
    bool gives_up; /* the wait, with KEEL_MPI_LATE, whatever KEEL_MPI_ON_LATE says; the peers are
                      none the worse for it */
    bool bound;    /* the others' KEEL_MPI_LATE does not end it: they may have gone on as agreed */
    bool late;     /* it has, or some rank has withdrawn: */
    /* The wait is in vain, and gives up, where a rank has withdrawn before this meeting; 0: it is
     * for something else. */
    uint64_t meeting;
    bool in_vain; /* that was so */
    double limit_s;
    double began_s, next_s, look_s;
    bool looked;   /* at processes, once or more */
    bool stopped;  /* a rank has been, for the deadline */
    bool called;   /* the roll, and answers are on their way */
    bool deferred; /* to a rank before this one, which tells of it */
};
#define KEEL_MPI_WAIT_WHERE 200

struct keel_mpi_wait_state keel_mpi_wait_begin(struct keel_mpi_peers *peers, const char *where);

/* To be called again and again in the course of a wait. Says for whom it waits, ever more rarely.
 * False: the wait is over without success, and keel_mpi_wait_code() says why. */
bool keel_mpi_wait_goes_on(struct keel_mpi_wait_state *wait);

static inline int keel_mpi_wait_code(const struct keel_mpi_wait_state *wait)
{
    int code = wait->late ? KEEL_MPI_LATE : keel_mpi_peers_code(wait->peers);

    return code == KEEL_MPI_LATE && wait->bound && !wait->late ? KEEL_MPI_OK : code;
}

/* Waits for all requests: KEEL_MPI_OK, or the code of the peers. */
int keel_mpi_peers_await(struct keel_mpi_peers *peers, const char *where, int count,
                         MPI_Request *request);

/* The same with a wait of one's own. */
int keel_mpi_wait_for(struct keel_mpi_wait_state *wait, int count, MPI_Request *request);

/* Maxima of up to KEEL_MPI_MAXIMA_MAX numbers over all ranks, in place. Takes no memory.
 * Collective. */
int keel_mpi_peers_maxima(struct keel_mpi_peers *peers, const char *where, uint64_t *number,
                          int count);

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

/* The same on all ranks that it ends well on. False: nobody comes here again. One thread that may
 * call MPI; collective. */
bool keel_mpi_all_are_well(struct keel_mpi_peers *peers, const char *where, bool well);

#endif
