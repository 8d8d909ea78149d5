/* What messages between neighbouring ranks take, measured by sending some.
 *
 *   pipeline_create() -> [trains] -> block size (schedules/forecast/block_size.h)
 *
 * What a message adds to a step of a pipeline is the processor time for sending and receiving it:
 * receives are open ahead, so that the way from rank to rank delays only the first of many. That is
 * measured by trains of messages that pass through all ranks; the way, by messages that come
 * back. */
#ifndef MPI_BACKEND_ROWS_BALANCE_LINK_PROBE_H
#define MPI_BACKEND_ROWS_BALANCE_LINK_PROBE_H

#include <mpi.h>
#include <stddef.h>

#include "mpi_backend/job/peers.h"
#include "schedules/forecast/block_size.h"

/* The largest of all ranks, the same on all. longest: bytes that a message may come to, >= 1;
 * element: bytes that each element adds to one. Collective over `comm`, where no other messages
 * are. */
struct keel_block_size_messages keel_mpi_link_probe_measure(struct keel_mpi_peers *peers,
                                                            MPI_Comm comm, double longest,
                                                            double element);

#endif
