/* Claims from a counter: what the progress engine calls beside keel_mpi_claim_by_counter
 * (claim_method.h). */
#ifndef MPI_BACKEND_LOOP_CLAIM_COUNTER_H
#define MPI_BACKEND_LOOP_CLAIM_COUNTER_H

#include "mpi_backend/loop/state/loop.h"

/* On the home node: moves the counter on for a CLAIM of another node and sends the GRANT. False:
 * the window is not open for that loop yet. Under the channel lock. */
bool keel_mpi_counter_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);

#endif
