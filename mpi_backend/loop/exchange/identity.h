/* What each rank came with to a shared loop, and the message where ranks came with different ones.
 *
 *   a loop is opened -> [identity] -> summary of all ranks -> one of them writes the message */
#ifndef MPI_BACKEND_LOOP_EXCHANGE_IDENTITY_H
#define MPI_BACKEND_LOOP_EXCHANGE_IDENTITY_H

#include "mpi_backend/loop/state/loop.h"

/* Notes what this rank comes with, in loop->identity. */
void keel_mpi_identity_note(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start);

/* Ranks came with different loops, and the summary of all ranks is here: the first rank that came
 * with a loop writes one message, which loop it is and what each rank came with. Ends the program
 * where KEEL_MPI_ON_ERROR asks for that. */
void keel_mpi_identity_report_mismatch(const struct keel_mpi_loop *loop);

/* Writes the name of the loop that this rank runs: "mandel.c:42 (render)", or its place in its
 * module. For messages. */
#define KEEL_MPI_LOOP_NAME_MAX 160
void keel_mpi_identity_loop_name(const struct keel_mpi_loop *loop,
                                 char name[KEEL_MPI_LOOP_NAME_MAX]);

#endif
