/* A worker's way through a shared loop.
 *
 *   join -> next: chunk, chunk, ..., none -> leave
 *              |
 *   last chunk ends -> progress engine, if due -> claim, else wait -> next chunk begins */
#ifndef MPI_BACKEND_LOOP_WORKER_H
#define MPI_BACKEND_LOOP_WORKER_H

#include "mpi_backend/loop/state/loop.h"

/* Joins loop number `number`; the rank's first worker opens it. NULL: it is over already, or
 * there is no memory, and the loop's first worker gets all. Loops are used again, never freed,
 * so that whoever joins late finds that this is another loop by now. Any thread. */
struct keel_mpi_worker *keel_mpi_worker_join(struct keel_mpi_loop *loop, uint64_t number,
                                             const struct keel_mpi_worker_start *start);

/* The worker's next chunk, iterations [*first, *last); false: it gets no other. By the thread that
 * joined. */
bool keel_mpi_worker_next(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);

/* The worker is done. finished: keel_mpi_worker_next() has returned false; else it cancels the loop
 * for all ranks. By the thread that joined. */
void keel_mpi_worker_leave(struct keel_mpi_worker *worker, bool finished);

#endif
