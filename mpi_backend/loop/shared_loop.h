/* A shared loop on a rank, from its beginning to its results.
 *
 *   lender.c: a loop of the program starts -> job_loops.c: a loop of the job
 *        -> worker.c: join -> open.c -> chunk, chunk, ... -> leave -> job_loops.c -> results.c */
#ifndef MPI_BACKEND_LOOP_SHARED_LOOP_H
#define MPI_BACKEND_LOOP_SHARED_LOOP_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/loop/state/loop_state.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- claims ---
 *
 * How the ranks of a job get the iterations of a shared loop.
 *
 *   a worker's chunk: ranges of the rank on the window (worker.c), or claim_method->refill()
 *        -> counter.c: a counter of all ranks; its owner answers claims of other nodes
 *           (transfers.c)
 *        -> rank_blocks.c: the rank's block, then those of others of the node, then transfers.c
 *   transfers.c: idle node ~REQUEST~> another one ~TRANSFER~> idle node */

/* --- transfers.c: the rank's ranges on the node's window, and its pace --- */

/* Returns the number of ranges of the rank that its workers use. */
static inline unsigned keel_mpi_rank_ranges_in_use(const struct keel_mpi_loop *loop)
{
    return KEEL_MPI_RANGE_THREADS + (unsigned)min_u64(loop->threads, KEEL_MPI_THREAD_RANGES);
}

/* Returns the pace of the rank: its threads together as one worker. Any thread. */
struct keel_pace keel_mpi_rank_ranges_pace(const struct keel_mpi_loop *loop);

/* Adds units [first, last), which a message brought, to an empty range of the rank, or to
 * loop->overflow. Under the channel lock. */
void keel_mpi_rank_ranges_add(struct keel_mpi_loop *loop, uint64_t first, uint64_t last);

/* --- transfers.c: steals between the ranks of a node, without a message --- */

/* Steals units [*first, *last) for the worker, from the rank of the node that would be busy
 * longest. False: no other rank has any. */
bool keel_mpi_node_steal(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);

/* --- transfers.c: the owner of a loop's counter advances it, and sends its old value --- */

/* Answers a CLAIM by the counter on this node's window; this rank need not have opened the loop.
 * False: the window is not open for that loop yet. Under the channel lock. */
bool keel_mpi_grants_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);

/* The known paces of all ranks, on the home node's window. Any thread. */
void keel_mpi_grants_publish_pace(struct keel_mpi_window *window, uint32_t rank,
                                  struct keel_pace pace);
struct keel_paces keel_mpi_grants_paces(struct keel_mpi_window *window);

/* --- transfers.c: iterations from node to node; under the channel lock --- */

/* Asks another node, chosen by loop->victims, for iterations if this one will be idle before an
 * answer could arrive. One rank of the node does so. */
void keel_mpi_transfers_request(struct keel_mpi_loop *loop);

/* Answers a REQUEST or a QUERY of another node from this node's window. False: the window is not
 * open for that loop yet. */
bool keel_mpi_transfers_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message);

/* Iterations have arrived at the rank: nodes whose requests were kept get their part. */
void keel_mpi_transfers_serve_kept(struct keel_mpi_job *job, uint64_t number);

/* Handles a TRANSFER. */
void keel_mpi_transfers_take(struct keel_mpi_loop *loop, const struct keel_mpi_message *message);

/* The rank's leader has executed the last iteration and may execute no other. Late iterations from
 * other nodes without room in its ranges are forwarded to another node; if the rank has no other
 * thread, so are all that it holds, as ranks of its node may not expect to help it. By threads that
 * may call MPI; takes the lock itself. */
void keel_mpi_transfers_forward(struct keel_mpi_loop *loop);

/* --- progress ---
 *
 * The progress engine of shared loops: receives and answers messages, tests collective operations,
 * requests iterations ahead of need, and sends counts.
 *
 *   worker.c, job_loops.c, a thread for long iterations, keel_mpi_poll() -> [progress.c]
 *        -> loop_messages.c, loop_agreement.c, claim_method, progress.c
 *
 * Nothing here waits. */

/* Runs the engine, for a worker between two chunks, if it has not run for a while and no other
 * thread holds the channel lock. By workers that may call MPI. */
void keel_mpi_progress_if_due(struct keel_mpi_worker *worker);

/* Runs the engine at once, unless another thread holds the channel lock. worker: one that wants
 * iterations, for which requests are sent; NULL: none does. True if anything was received, so that
 * it should run again without a pause. By threads that may call MPI. */
bool keel_mpi_progress_now(struct keel_mpi_loop *loop, struct keel_mpi_worker *worker);

/* Runs the engine; the caller holds the channel lock, and no worker wants iterations. By threads
 * that may call MPI. */
void keel_mpi_progress_locked(struct keel_mpi_loop *loop);

/* keel_mpi_poll(): runs the engine from within a chunk, if it has not run for a while, no other
 * thread holds the channel lock, and the calling thread may call MPI. Any thread. */
void keel_mpi_progress_poll(struct keel_mpi_loop *loop);

/* --- progress.c: a thread that runs it for ranks whose iterations are long ---
 *
 * Only if KEEL_MPI_PROGRESS asks for it and MPI was initialised with MPI_THREAD_MULTIPLE, as it
 * calls MPI beside the program. It runs the engine only when no worker has for a while. */

/* The thread serves that loop from now on, until keel_mpi_progress_thread_release(). By the
 * leader. */
void keel_mpi_progress_thread_serve(struct keel_mpi_loop *loop);

/* The loop does not need the thread any more. Takes the channel lock. */
void keel_mpi_progress_thread_release(struct keel_mpi_loop *loop);

/* --- progress.c: how the nodes of a job find that a shared loop has ended ---
 *
 *   COUNT messages: iterations begun, up a binary tree of nodes -> node 0: sum == N
 *     -> END messages, down the tree -> the nodes' windows
 *
 * The first rank of each node counts for it. Counting begun iterations is enough: a worker that has
 * begun one executes it. A cancelled loop ends in the same way. Called under the channel lock, by
 * threads that may call MPI. */

/* On the first rank of a node, when no iterations are left to begin here: sends the node above the
 * number of those that were begun here and below and not counted yet; node 0 compares it with N and
 * ends the loop. No effect on other ranks. The loop is open. */
void keel_mpi_termination_count(struct keel_mpi_loop *loop);

/* Handle a COUNT of a node below, and the END from the node above. */
void keel_mpi_termination_take_count(struct keel_mpi_loop *loop,
                                     const struct keel_mpi_message *message);
void keel_mpi_termination_take_end(struct keel_mpi_loop *loop,
                                   const struct keel_mpi_message *message);

/* --- the steps of a loop --- */

/* --- job_loops.c: the running loops of a job, the latest complete one, those to reuse ---
 *
 *   new -> running -> finish, or forfeit -> complete -> the latest, for results -> forget -> spare
 *
 * Registers with the job the functions to call when it is freed. By threads that may call MPI, one
 * at a time, without the channel lock. Collective where MPI operations of all ranks follow: the
 * ranks of a job make and complete their loops in the same order. */

/* Returns the next loop of the job, without iterations yet. Waits for older loops if needed. NULL:
 * no memory. */
struct keel_mpi_loop *keel_mpi_loop_new(struct keel_mpi_job *job, bool waits);

/* To be called when the leader and all other workers of the rank are done. Waits for the other
 * ranks if the loop does. */
void keel_mpi_loop_finish(struct keel_mpi_loop *loop);

/* Waits for the measurements of all running loops, in order. The last one becomes the latest. */
void keel_mpi_loop_complete_all(struct keel_mpi_job *job);

/* This rank will not run the loop: it takes part in the loop's collective operations with an empty
 * result, by which the others learn that. */
void keel_mpi_loop_forfeit(struct keel_mpi_loop *loop);

/* Takes back a loop that was lent to libkeel.so if no loop of the program has taken it, and
 * forfeits it. To be called before results are returned, another loop is shared, or the job ends.
 * missing: the message for this case, a constant. */
void keel_mpi_loop_abandon(struct keel_mpi_job *job, const char *missing);
#define KEEL_MPI_LOOP_MISSING                                                             \
    "a loop was to be shared among ranks, but none has come since; expected a loop with " \
    "schedule(runtime) after keel_mpi_share()"

/* For a job of one rank: returns the next loop, which is not shared. It has no iterations, and the
 * code KEEL_MPI_NO_LOOP, until it starts. NULL: no memory. */
struct keel_mpi_loop *keel_mpi_loop_new_alone(struct keel_mpi_job *job);

/* To be called when it starts; the rank runs all of it. Any thread, once. */
void keel_mpi_loop_come_alone(struct keel_mpi_loop *loop, uint64_t iterations);

/* Frees the results of the job's latest loop, which the program does not need any more. */
void keel_mpi_loop_forget(struct keel_mpi_job *job);

/* The job, or one of the lender's loans, does not use the loop any more; the last of them frees it.
 * NULL: no effect. */
void keel_mpi_loop_drop(struct keel_mpi_loop *loop);

/* --- job_loops.c: the loops that run on this rank --- */

/* Runs the progress engine for the running loops of the latest job, if it is time. By threads that
 * may call MPI. */
void keel_mpi_running_poll(void);

/* Whether a loop of the job runs on this rank. */
bool keel_mpi_running_any(const struct keel_mpi_job *job);

/* Whether a loop runs or is awaited, so that no other one can begin. */
bool keel_mpi_running_busy(const struct keel_mpi_job *job);

/* --- job_loops.c: loops that were refused --- */

/* Records by `code` why the last loop of a communicator is not shared, for calls about it;
 * KEEL_MPI_OK: it is shared. Returns `code`. Any thread. */
int keel_mpi_refusal_note(MPI_Comm comm, int code);

/* Returns the recorded reason why the last loop of the communicator is not shared, or KEEL_MPI_OK.
 * Any thread. */
int keel_mpi_refusal_of(MPI_Comm comm);

/* --- lender.c --- */

/* keel_mpi_loop_begin() for a loop that starts at `site`, an address in the program. */
int keel_mpi_explicit_begin(MPI_Comm comm, uint64_t iterations, unsigned flags, uintptr_t site,
                            struct keel_mpi_loop **loop);

/* --- open.c --- */

/* The first worker of the rank opens the loop, and enters the node's window; others wait for that.
 * Any thread. */
void keel_mpi_loop_open(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start);

/* --- worker.c --- */

/* Joins loop number `number`; the rank's first worker opens it. NULL: it is over already, or there
 * is no memory, and the loop's first worker gets all. Loops are reused while the job lives, so that
 * a late worker finds by the number that this is another loop by now. Any thread. */
struct keel_mpi_worker *keel_mpi_worker_join(struct keel_mpi_loop *loop, uint64_t number,
                                             const struct keel_mpi_worker_start *start);

/* Gets the worker's next chunk, iterations [*first, *last). False: it gets no other. By the thread
 * that joined. */
bool keel_mpi_worker_next(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);

/* The worker is done. finished: keel_mpi_worker_next() has returned false; otherwise this cancels
 * the loop for all ranks. By the thread that joined. */
void keel_mpi_worker_leave(struct keel_mpi_worker *worker, bool finished);

/* --- job_loops.c: by threads that may call MPI, without the channel lock ---
 *
 *   workers are done -> leave, or cancel -> own measurements -> await -> record, loop->code */

/* The leader finds the loop cancelled: informs the other ranks, and waits for none. Other threads
 * of the rank may be in it until their region ends; their ranges are collected when results are
 * requested. */
void keel_mpi_end_cancel(struct keel_mpi_loop *loop);

/* Merges all ranges that the rank's workers have executed into loop->ranges, in units. By the
 * leader, once no other worker is in a chunk. */
void keel_mpi_measurements_collect_ranges(struct keel_mpi_loop *loop);

#endif
