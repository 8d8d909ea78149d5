/* The owner of a loop's counter answers claims of other nodes: it moves the counter on, and tells
 * where it stood. What chunk that is, the claiming rank works out for itself.
 *
 *   CLAIM, pace of its sender -> keel_mpi_grants_serve() -> GRANT, paces of all ranks */
#ifndef MPI_BACKEND_LOOP_CLAIM_GRANTS_H
#define MPI_BACKEND_LOOP_CLAIM_GRANTS_H

#include "mpi_backend/loop/state/loop.h"

/* Answers a CLAIM by the counter on this node's window; this rank need not have opened the loop.
 * False: the window is not open for that loop yet. Under the channel lock. */
bool keel_mpi_grants_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);

/* The paces of all ranks as far as they are known, on the home node's window. Any thread. */
void keel_mpi_grants_publish_pace(struct keel_mpi_window *window, uint32_t rank,
                                  struct keel_pace pace);
struct keel_paces keel_mpi_grants_paces(struct keel_mpi_window *window);

#endif
