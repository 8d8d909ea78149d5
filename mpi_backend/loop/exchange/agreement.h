/* Collective operations of a shared loop: do all ranks run the same loop (MPI_Iallreduce of a
 * check), and at its end the summary of all ranks (MPI_Iallreduce). Where the schedule goes by the
 * rates of ranks, their blocks follow (shares.h).
 *
 *   NONE -> first call: MPI_Iallreduce -> PENDING -> complete -> SAME, NO_LOOP
 *                                                           or  MISMATCH -> summary -> a message
 *
 * Nothing here waits. Called under the channel lock, by threads that may call MPI. */
#ifndef MPI_BACKEND_LOOP_EXCHANGE_AGREEMENT_H
#define MPI_BACKEND_LOOP_EXCHANGE_AGREEMENT_H

#include "mpi_backend/loop/state/loop.h"

/* Asks all ranks whether they run the same loop, once, and tests whether the answers have come. */
void keel_mpi_agreement_advance(struct keel_mpi_loop *loop);

/* Whether it is known if all ranks run the same loop and, if not, a message says so. No lock is
 * needed: an older answer is as good. */
bool keel_mpi_agreement_is_known(const struct keel_mpi_loop *loop);

/* Sends loop->figures of this rank, once. */
void keel_mpi_agreement_exchange(struct keel_mpi_loop *loop);

/* Whether agreement, summary and shares are complete, or the job has failed. */
bool keel_mpi_agreement_is_exchanged(struct keel_mpi_loop *loop);

/* What is waited for next. */
MPI_Request *keel_mpi_agreement_request(struct keel_mpi_loop *loop);

/* When the job goes: what its exchanges needed. */
void keel_mpi_agreement_free(struct keel_mpi_job *job);

#endif
