/* The loops of a job: which are running, the latest complete one, and those to use again.
 *
 *   new -> running -> finish, or forfeit -> complete -> the latest, for results -> forget -> spare
 *
 * Registers with the job what has to be done when the job goes. By threads that may call MPI,
 * one at a time, without the channel lock. Collective where MPI operations of all ranks follow:
 * the ranks of a job make and complete their loops in the same order. */
#ifndef MPI_BACKEND_LOOP_JOB_LOOPS_H
#define MPI_BACKEND_LOOP_JOB_LOOPS_H

#include "mpi_backend/loop/state/loop.h"

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

#endif
