/* What the ranks of a communicator of Keel's own tell each other beside their work: an error of one
 * is everybody's, a rank that withdraws says so, and one that is asked says whether it waits.
 *
 *   MPI call -> keel_mpi_check() -> an error: the peers are done for -> notice to all
 *   roll call (peers.h) -> notice to all -> each rank's next look -> notice back: its answer */
#ifndef MPI_BACKEND_JOB_NOTICES_H
#define MPI_BACKEND_JOB_NOTICES_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/hosts.h"
#include "mpi_backend/job/processes/processes.h"

/* A call of the roll, and the answers to it. */
enum keel_mpi_notice {
    KEEL_MPI_NOTICE_CALL, /* where an answer stands: none has come */
    KEEL_MPI_NOTICE_WAITS,
    KEEL_MPI_NOTICE_WORKS,
    KEEL_MPI_NOTICE_ELSEWHERE /* it waits for something else */
};

#define KEEL_MPI_MAXIMA_MAX 8

struct keel_mpi_peers {
    MPI_Comm comm; /* Keel's own */
    MPI_Comm
        notices; /* beside it: who waits, and what has gone wrong; MPI_COMM_NULL: nobody is told,
                       and nobody is called late */
    MPI_Comm settling; /* where the ranks that are left agree (ulfm.h); peers->comm: no other one */
    uint32_t rank, ranks;
    bool traced;                  /* by all of them, in the trace that libkeel.so writes */
    struct keel_mpi_hosts *hosts; /* of all ranks; NULL: not known */
    unsigned char *answer;        /* of each rank, to the last roll call */
    const char *where;            /* this rank last waited; a rank elsewhere has not come there */
    const char *call; /* function that all ranks have to call there, for messages; or NULL */
    uint32_t roll;    /* a roll call, which messages on their way read */
    struct keel_mpi_processes processes; /* of the ranks on this machine */
    _Atomic int code;                    /* KEEL_MPI_OK, or what has gone wrong for good */
    double polled_s;                     /* when notices were last looked for */
    /* Of the ranks that have withdrawn, as far as is known here: the fewest meetings that one of
     * them has come to, and which rank that is. UINT64_MAX: none has withdrawn. */
    uint64_t fewest_meetings;
    uint32_t withdrawn;
    uint64_t last_meeting; /* of this rank, which has withdrawn: messages read it */
    uint64_t word[2]
                 [KEEL_MPI_MAXIMA_MAX]; /* of keel_mpi_peers_maxima(), this rank's and all ranks' */
    uint64_t ill[2];                    /* of keel_mpi_all_are_well() */
    int count;                          /* that operations read */
};

/* Looks at what a call of MPI has returned. False: it failed, which is said once; with `peers`,
 * their code is KEEL_MPI_ERROR from now on, or KEEL_MPI_RANKS_LOST where MPI tells that (ulfm.h),
 * and the others are told. */
bool keel_mpi_check(struct keel_mpi_peers *peers, int returned, const char *call);

/* Whether a call has failed that was not among any peers: this process and others may be at
 * different operations since, so that it begins none any more. */
bool keel_mpi_check_is_broken(void);

/* This rank comes to no more meetings than the `meetings` it has come to so far: tells the others.
 * The peers are none the worse for it. Once. */
void keel_mpi_peers_withdraw(struct keel_mpi_peers *peers, uint64_t meetings);

/* Whether a rank in meeting number `meeting`, from 1, waits in vain: some rank has come to `last`
 * meetings and will come to no more. */
static inline bool keel_mpi_meeting_is_in_vain(uint64_t meeting, uint64_t last)
{
    return last < meeting;
}

/* They are done for, with that code: tells the others, once. */
void keel_mpi_peers_fail(struct keel_mpi_peers *peers, int code);

static inline int keel_mpi_peers_code(const struct keel_mpi_peers *peers)
{
    return peers->code;
}

/* Looks for notices of others; waits for nothing. waits: this rank is waiting; else it computes. */
void keel_mpi_peers_poll(struct keel_mpi_peers *peers, bool waits);

/* The same if that was not done for `apart_s`. */
void keel_mpi_peers_poll_every(struct keel_mpi_peers *peers, bool waits, double now_s,
                               double apart_s);

/* Asks all others whether they wait where this rank does; answers come by keel_mpi_peers_poll(). */
void keel_mpi_notices_call(struct keel_mpi_peers *peers);

#endif
