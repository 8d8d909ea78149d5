/* Events of shared loops in the trace: what a rank got from others, how fast it was, what its
 * blocks are from now on.
 *
 *   claim/, end.c -> [loop_events] -> report/events.h
 *
 * For loops that are observed. Any thread. */
#ifndef MPI_BACKEND_LOOP_EXCHANGE_LOOP_EVENTS_H
#define MPI_BACKEND_LOOP_EXCHANGE_LOOP_EVENTS_H

#include "mpi_backend/loop/state/loop.h"

/* The loop's name in the trace; NULL: there is none, or nothing is traced. */
const char *keel_mpi_loop_event_name(const struct keel_mpi_loop *loop);

/* Units [first, last) have come from that rank, which sent so many bytes; 0: through memory. */
void keel_mpi_loop_event_move(const struct keel_mpi_loop *loop, uint32_t from, uint64_t first,
                              uint64_t last, uint64_t bytes);

/* The loop has ended: what this rank has had of it, and how fast it was. */
void keel_mpi_loop_event_end(const struct keel_mpi_loop *loop);

/* What has been learned from it: where blocks of the next instance lie. */
void keel_mpi_loop_event_blocks(const struct keel_mpi_loop *loop,
                                enum keel_blocks_decision decision);

#endif
