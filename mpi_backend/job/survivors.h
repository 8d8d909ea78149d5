/* Which ranks Keel has connected, by communicators of its own: what is left to talk over when ranks
 * have ended, as no collective operation ends then.
 *
 *   keel_mpi_peers_open() -> [connected] -> keel_mpi_survivors(), keel_mpi_lost_ranks() */
#ifndef MPI_BACKEND_JOB_SURVIVORS_H
#define MPI_BACKEND_JOB_SURVIVORS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/job/processes.h"

/* Which ranks are left: a consensus among ranks of which any may end at any time, by the rules of
 * survivors.c. Sets have one byte for each rank: 1, it has ended. */
struct keel_mpi_agreement {
    uint32_t attempt;     /* from 1, in all calls; sets of earlier ones count for nothing */
    uint32_t coordinator; /* a rank; their number: the attempt is over */
    unsigned char *known; /* to have ended; grows at any time. NULL: there was no call */
    unsigned char *set;   /* of this attempt */
};

/* --- ulfm.c --- */

/* Beside peers, as these may go while their communicator stays. */
struct keel_mpi_connected {
    struct keel_mpi_connected *next;
    MPI_Comm comm;     /* Keel's own */
    MPI_Comm settling; /* the same ranks (peers.h) */
    uint32_t rank, ranks;
    struct keel_mpi_hosts *hosts;
    struct keel_mpi_processes processes;
    struct keel_mpi_agreement agreement;
    int *lost; /* what keel_mpi_lost_ranks() has given; NULL: nothing */
    int code;  /* what has become of keel_mpi_survivors() */
};

/* When peers are open. Without memory, nothing is recorded. */
void keel_mpi_connected_add(const struct keel_mpi_peers *peers);

/* Before the communicator of peers is freed. Returns false if it must not be, nor the records of
 * its ranks: it is the last one that connects all ranks of the job, and without it none would find
 * that one has ended. */
bool keel_mpi_connected_remove(const struct keel_mpi_peers *peers);

/* The first that were connected, of the same ranks in the same order as `comm` has: the same on all
 * ranks, as ranks are connected in the same order. NULL: none. */
struct keel_mpi_connected *keel_mpi_connected_find(MPI_Comm comm);

/* --- ulfm.c ---
 *
 * Ranks that have ended by MPI's own report, if it goes on then: User-Level Failure Mitigation,
 * which Open MPI 5 has under mpirun --with-ft ulfm. Any other MPI reports none. Any thread that may
 * call MPI. */

/* Whether a call over `comm` (MPI_COMM_NULL: over none) that returned that has failed as the
 * process of a rank has ended. */
bool keel_mpi_ulfm_is_loss(int returned, MPI_Comm comm);

/* The same; if so, receives from any rank of it work again. */
bool keel_mpi_ulfm_passes_over(int returned, MPI_Comm comm);

/* Whether MPI goes on when ranks end. The same on all ranks. Then ranks that are left agree over a
 * communicator on which nothing is collective: where a rank has ended, Open MPI 5.0 drops messages
 * of collective operations without counting them, so that all that the same sender sends over the
 * same communicator afterwards waits for them, for ever. */
bool keel_mpi_ulfm_is_on(void);

/* Where that is so: makes the communicator of the ranks of `comm` whose processes have not ended,
 * which all of these call. MPI agrees on who that is, also where more end in its course; without:
 * for each rank of `comm`, 1: it is out. Returns what MPI does. MPI_Comm_create_group() refuses
 * that. */
int keel_mpi_ulfm_shrink(MPI_Comm comm, unsigned char *without, MPI_Comm *left);

/* Says in which call rank `own` learns that one of `comm` has ended. host: of each rank, or NULL.
 * False: nothing is said, as that one is not known. */
bool keel_mpi_ulfm_say_lost(MPI_Comm comm, uint32_t own, const struct keel_mpi_hosts *hosts,
                            const char *call);

/* Sets known[i] to 1 for each rank of `comm` that has ended. Returns whether one is new. */
bool keel_mpi_ulfm_learn(MPI_Comm comm, unsigned char *known);

#endif
