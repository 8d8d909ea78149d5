/* What messages between neighbouring ranks cost, measured by sending some.
 *
 *   pipeline_create() -> [link probe] -> block size (schedules/forecast/block_size.h)
 *
 * Overhead of a message: the processor time of sending and receiving it, measured by packet trains,
 * pipelines of 40 messages through all ranks. That is what a message adds to each step of a sweep,
 * as receives are started ahead. No message is empty, as no border is: some networks, and SimGrid
 * since version 4, carry empty ones for less than their headers. Latency: measured by ping-pong
 * between neighbours. It delays only the first of many messages. */
#ifndef MPI_BACKEND_ROWS_SWEEP_LINK_PROBE_H
#define MPI_BACKEND_ROWS_SWEEP_LINK_PROBE_H

#include <mpi.h>
#include <stddef.h>

#include "mpi_backend/job/peers.h"
#include "schedules/forecast/block_size.h"

/* The largest costs of any rank, the same on all. longest: bytes of the longest message, >= 1;
 * element: bytes that each element adds to a message. Collective over `comm`, in which no other
 * messages are pending. */
struct keel_block_size_messages keel_mpi_link_probe_measure(struct keel_mpi_peers *peers,
                                                            MPI_Comm comm, double longest,
                                                            double element);

#endif
