/* Which ranks Keel has connected, by communicators of its own: what is left to talk over when ranks
 * have ended, as no collective operation ends then.
 *
 *   keel_mpi_peers_open() -> [connected] -> keel_mpi_survivors(), keel_mpi_lost_ranks() */
#ifndef MPI_BACKEND_JOB_SURVIVORS_CONNECTED_H
#define MPI_BACKEND_JOB_SURVIVORS_CONNECTED_H

#include <mpi.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/job/survivors/agreement.h"

/* Beside peers, as these may go while their communicator stays. */
struct keel_mpi_connected {
    struct keel_mpi_connected *next;
    MPI_Comm comm;     /* Keel's own */
    MPI_Comm settling; /* the same ranks (peers.h) */
    uint32_t rank, ranks;
    struct keel_mpi_hosts *hosts;
    struct keel_mpi_processes processes;
    struct keel_mpi_agreement agreement; /* ranks are 0: there was none */
    int *lost;                           /* what keel_mpi_lost_ranks() has given; NULL: nothing */
    int code;                            /* what has become of keel_mpi_survivors() */
};

/* When peers are open. Without memory, nothing is noted. */
void keel_mpi_connected_add(const struct keel_mpi_peers *peers);

/* Before the communicator of peers is freed. False: it must not be, nor what tells of its ranks: it
 * is the last one that connects all ranks of the job, who would not see otherwise that one has
 * ended. */
bool keel_mpi_connected_remove(const struct keel_mpi_peers *peers);

/* The first that were connected, of the same ranks in the same order as `comm` has: the same on all
 * ranks, as ranks are connected in the same order. NULL: none. */
struct keel_mpi_connected *keel_mpi_connected_find(MPI_Comm comm);

#endif
