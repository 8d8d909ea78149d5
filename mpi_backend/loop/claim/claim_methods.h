/* How the ranks of a job get the iterations of a shared loop.
 *
 *   a worker's chunk: ranges of the rank on the window (claims.c), else claim_method->refill()
 *        -> counter.c: a counter of all ranks; its owner answers claims of other nodes
 *           (transfers.c)
 *        -> rank_blocks.c: the rank's block, then that of others of the node, then transfers.c
 *   transfers.c: idle node ~REQUEST~> another one ~TRANSFER~> idle node */
#ifndef MPI_BACKEND_LOOP_CLAIM_CLAIM_METHODS_H
#define MPI_BACKEND_LOOP_CLAIM_CLAIM_METHODS_H

#include "mpi_backend/loop/state/loop_state.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- claims.c: by the worker's own thread; no lock as long as the rank holds anything --- */

/* The worker's next chunk, of what the rank holds or can claim: units [*first, *last). False: there
 * is none now. */
bool keel_mpi_worker_claim(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);

/* Notes that the worker begins units [first, last). */
void keel_mpi_worker_begin_chunk(struct keel_mpi_worker *worker, uint64_t first, uint64_t last);

/* Notes that the chunk which the worker executed has ended. */
void keel_mpi_worker_end_chunk(struct keel_mpi_worker *worker);

/* Whether there will be nothing more to claim. Jobs of one node find that here; elsewhere
 * progress.c does. Any worker. */
bool keel_mpi_claims_are_over(struct keel_mpi_loop *loop);

/* --- claims.c: what the rank holds on the node's window, and its pace --- */

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

/* --- claims.c: steals between the ranks of a node, without a message --- */

/* Units [*first, *last) of the rank of the node that would be busy longest; they belong to the
 * worker. False: no other rank has any. */
bool keel_mpi_node_steal(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);

/* --- transfers.c: the owner of a loop's counter moves it on, and sends where it stood --- */

/* Answers a CLAIM by the counter on this node's window; this rank need not have opened the loop.
 * False: the window is not open for that loop yet. Under the channel lock. */
bool keel_mpi_grants_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);

/* The paces of all ranks as far as they are known, on the home node's window. Any thread. */
void keel_mpi_grants_publish_pace(struct keel_mpi_window *window, uint32_t rank,
                                  struct keel_pace pace);
struct keel_paces keel_mpi_grants_paces(struct keel_mpi_window *window);

/* --- transfers.c: iterations from node to node; under the channel lock --- */

/* Asks another node for iterations where this one will be idle before an answer could come;
 * loop->victims says whom. One rank of the node does so. */
void keel_mpi_transfers_request(struct keel_mpi_loop *loop);

/* Answers a REQUEST or a QUERY of another node by what this node's window has. False: the window is
 * not open for that loop yet. */
bool keel_mpi_transfers_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);

/* Iterations have come to the rank: nodes whose requests were kept get their part. */
void keel_mpi_transfers_serve_kept(struct keel_mpi_job *job, uint64_t number);

/* Takes in a TRANSFER. */
void keel_mpi_transfers_take(struct keel_mpi_loop *loop, const struct keel_mpi_message *message);

/* The rank's leader has executed the last iteration and may execute no other. What other nodes send
 * it late and has no room in its ranges goes on to another node; if the rank has no other thread,
 * so does all that it holds: ranks of its own may think that they need not help it. By threads that
 * may call MPI; takes the lock itself. */
void keel_mpi_transfers_forward(struct keel_mpi_loop *loop);

#endif
