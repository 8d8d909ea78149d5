/* The way of a shared loop on a rank, from its beginning to its results.
 *
 *   lender.c: a loop of the program comes -> job_loops.c: a loop of the job
 *        -> worker.c: join -> open.c -> chunk, chunk, ... -> leave -> end.c -> results.c */
#ifndef MPI_BACKEND_LOOP_SHARED_LOOP_H
#define MPI_BACKEND_LOOP_SHARED_LOOP_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/loop/state/loop_state.h"

/* --- job_loops.c: which loops of a job run, the latest complete one, those to use again ---
 *
 *   new -> running -> finish, or forfeit -> complete -> the latest, for results -> forget -> spare
 *
 * Registers with the job what has to be done when the job goes. By threads that may call MPI,
 * one at a time, without the channel lock. Collective where MPI operations of all ranks follow:
 * the ranks of a job make and complete their loops in the same order. */

/* A new loop of the job, its next one, without iterations yet. Waits for older loops where that is
 * needed. NULL: no memory. */
struct keel_mpi_loop *keel_mpi_loop_new(struct keel_mpi_job *job, bool waits);

/* The leader is done, and all other workers of the rank: its part is over. Waits for the other
 * ranks if the loop does. */
void keel_mpi_loop_finish(struct keel_mpi_loop *loop);

/* Waits for the figures of the loop, or of all running ones of the job, in order. The last one
 * becomes the latest. */
void keel_mpi_loop_complete(struct keel_mpi_loop *loop);
void keel_mpi_loop_complete_all(struct keel_mpi_job *job);

/* This rank will not run the loop: it takes part in the loop's collective operations with an empty
 * result, which tells the others. */
void keel_mpi_loop_forfeit(struct keel_mpi_loop *loop);

/* Takes back a loop that was lent to libkeel.so and that no loop of the program has taken, and
 * forfeits it. Before results are asked for, another loop is shared, or the job ends. missing: is
 * said then; a constant. */
void keel_mpi_loop_abandon(struct keel_mpi_job *job, const char *missing);
#define KEEL_MPI_LOOP_MISSING                                                             \
    "a loop was to be shared among ranks, but none has come since; expected a loop with " \
    "schedule(runtime) after keel_mpi_share()"

/* Of a job of one rank, the next loop, which is not shared: it has no iterations, and the code
 * KEEL_MPI_NO_LOOP, until it comes. NULL: no memory. */
struct keel_mpi_loop *keel_mpi_loop_new_alone(struct keel_mpi_job *job);

/* It has come, and the rank runs all of it. Any thread, once. */
void keel_mpi_loop_come_alone(struct keel_mpi_loop *loop, uint64_t iterations);

/* Frees the results of the job's latest loop: the program asks for them no more. */
void keel_mpi_loop_forget(struct keel_mpi_job *job);

/* --- job_loops.c: which of them are on their way on this rank --- */

/* Does what messages and agreements of those on the latest job ask for, if it is time. By threads
 * that may call MPI. */
void keel_mpi_running_poll(void);

/* Whether a loop of the job runs on this rank. */
bool keel_mpi_running_any(const struct keel_mpi_job *job);

/* Whether one runs or is awaited, so that no other one can begin. */
bool keel_mpi_running_busy(const struct keel_mpi_job *job);

/* --- job_loops.c: loops that are not shared, where that was known at once --- */

/* Notes that the last loop of a communicator is not shared, as `code` says, so that calls about it
 * return that; KEEL_MPI_OK: it is. Returns `code`. Any thread. */
int keel_mpi_refusal_note(MPI_Comm comm, int code);

/* Why the last loop of the communicator is not shared; KEEL_MPI_OK: nothing was noted. Any
 * thread. */
int keel_mpi_refusal_of(MPI_Comm comm);

/* --- lender.c --- */

/* keel_mpi_loop_begin() for a loop that begins at `site`, an address in the program. */
int keel_mpi_explicit_begin(MPI_Comm comm, uint64_t iterations, unsigned flags, uintptr_t site,
                            struct keel_mpi_loop **loop);

/* --- open.c --- */

/* The first worker of the rank opens the loop, and enters the node's window; others wait until it
 * has. Any thread. */
void keel_mpi_loop_open(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start);

/* --- worker.c --- */

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

/* --- end.c: by threads that may call MPI, without the channel lock ---
 *
 *   workers are done -> leave, or cancel -> own figures -> await -> record, loop->code. */

/* The rank's part is over: sends its figures, and leaves the node's window. Once; no
 * worker is in the loop. */
void keel_mpi_end_leave(struct keel_mpi_loop *loop);

/* The leader finds the loop cancelled: tells the other ranks, and waits for nobody. Other
 * threads of the rank may be in it until their region ends; what they have executed is collected
 * when somebody asks for results. */
void keel_mpi_end_cancel(struct keel_mpi_loop *loop);

/* Waits for the summary of all ranks, and learns from them. Leaves a cancelled loop first. */
void keel_mpi_end_await(struct keel_mpi_loop *loop);

/* --- end.c: what this rank has executed; by the leader, once no other worker is in a chunk --- */

/* All that the rank's workers have executed, merged, in loop->ranges: units. */
void keel_mpi_figures_collect_ranges(struct keel_mpi_loop *loop);

/* loop->ranges in iterations, for the program. */
void keel_mpi_figures_put_in_iterations(struct keel_mpi_loop *loop);

#endif
