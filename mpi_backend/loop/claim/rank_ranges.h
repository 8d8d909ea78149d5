/* What a rank holds of a shared loop: its ranges on the node's window, and how fast its threads
 * execute them. */
#ifndef MPI_BACKEND_LOOP_CLAIM_RANK_RANGES_H
#define MPI_BACKEND_LOOP_CLAIM_RANK_RANGES_H

#include "mpi_backend/loop/state/loop.h"
#include "schedules/arithmetic/arithmetic.h"

/* Ranges of the rank that its workers look into. */
static inline unsigned keel_mpi_rank_ranges_in_use(const struct keel_mpi_loop *loop)
{
    return KEEL_MPI_RANGE_THREADS + (unsigned)min_u64(loop->threads, KEEL_MPI_THREAD_RANGES);
}

/* Pace of the rank: its threads together as one worker. Any thread. */
struct keel_pace keel_mpi_rank_ranges_pace(const struct keel_mpi_loop *loop);

/* Adds units [first, last), which have come by a message, to an empty range of the rank, or to
 * loop->overflow. Under the channel lock. */
void keel_mpi_rank_ranges_add(struct keel_mpi_loop *loop, uint64_t first, uint64_t last);

#endif
