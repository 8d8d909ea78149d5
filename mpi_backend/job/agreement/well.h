/* Whether all ranks are well: for before operations that can't be called off, as MPI_Comm_split().
 *
 *   each rank: has all worked so far? -> all ranks come -> none begins the operation, or all do
 *
 * Where one rank went into such an operation and another one did not, the first would stay there
 * for ever. So a rank comes here also if a call of MPI has failed on it, or on another one. It
 * isn't well, then, and all ranks learn that. But if that happens while it waits here, the others
 * may have gone on: it goes with them, until all come here again. */
#ifndef MPI_BACKEND_JOB_AGREEMENT_WELL_H
#define MPI_BACKEND_JOB_AGREEMENT_WELL_H

#include <stdbool.h>

#include "mpi_backend/job/peers.h"

/* The same on all ranks that it ends well on. False: nobody comes here again. One thread that may
 * call MPI; collective. */
bool keel_mpi_all_are_well(struct keel_mpi_peers *peers, const char *where, bool well);

#endif
