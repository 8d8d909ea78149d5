/* How a shared loop is opened on a rank. */
#ifndef MPI_BACKEND_LOOP_OPEN_H
#define MPI_BACKEND_LOOP_OPEN_H

#include "mpi_backend/loop/state/loop.h"

/* The first worker of the rank opens the loop, and enters the node's window; others wait until it
 * has. Any thread. */
void keel_mpi_loop_open(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start);

#endif
