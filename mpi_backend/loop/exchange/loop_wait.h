/* Waits of a rank in a shared loop for other ranks: as other waits (job/peers.h), with the name
 * of the loop for messages. By threads that may call MPI. */
#ifndef MPI_BACKEND_LOOP_EXCHANGE_LOOP_WAIT_H
#define MPI_BACKEND_LOOP_EXCHANGE_LOOP_WAIT_H

#include "mpi_backend/loop/state/loop.h"

struct keel_mpi_wait_state keel_mpi_loop_wait_begin(const struct keel_mpi_loop *loop);

/* To be called again and again in the course of the wait; looks: how often in a row nothing has
 * come. False: other ranks are late, or MPI has failed. Takes the channel lock. */
bool keel_mpi_loop_wait_goes_on(struct keel_mpi_loop *loop, struct keel_mpi_wait_state *wait,
                                unsigned looks);

#endif
