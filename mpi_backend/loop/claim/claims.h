/* A worker's chunks of a shared loop.
 *
 *   ranges of the rank on the window, else claim_method->refill() -> chunk -> begun -> ended, timed
 *
 * Called by the worker's own thread. No lock as long as the rank holds anything. */
#ifndef MPI_BACKEND_LOOP_CLAIM_CLAIMS_H
#define MPI_BACKEND_LOOP_CLAIM_CLAIMS_H

#include "mpi_backend/loop/state/loop.h"

/* The worker's next chunk, of what the rank holds or can claim: units [*first, *last). False: there
 * is none now. */
bool keel_mpi_worker_claim(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);

/* Notes that the worker begins units [first, last). */
void keel_mpi_worker_begin_chunk(struct keel_mpi_worker *worker, uint64_t first, uint64_t last);

/* Notes that the chunk which the worker executed has ended. */
void keel_mpi_worker_end_chunk(struct keel_mpi_worker *worker);

/* Whether there will be nothing more to claim. Jobs of one node find that here; elsewhere
 * termination.c does. Any worker. */
bool keel_mpi_claims_are_over(struct keel_mpi_loop *loop);

#endif
