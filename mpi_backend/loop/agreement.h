/* What each rank came with to a shared loop, and the message where ranks came with different ones.
 *
 *   a loop opens -> [came] -> with the figures to all ranks -> one of them tells */
#ifndef MPI_BACKEND_LOOP_AGREEMENT_H
#define MPI_BACKEND_LOOP_AGREEMENT_H

#include "mpi_backend/loop/loop.h"

/* Notes what this rank comes with. */
void keel_mpi_agreement_note(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start);

/* Ranks came with different loops, and all figures are here: the first rank that came with a loop
 * says which, and what each rank came with. Ends the job where KEEL_MPI_ON_ERROR asks for that. */
void keel_mpi_agreement_report(const struct keel_mpi_loop *loop);

/* Writes the name of the loop that this rank runs: "mandel.c:42 (render)", or its place in its
 * module. For messages. */
#define KEEL_MPI_LOOP_NAME_MAX 160
void keel_mpi_agreement_loop_name(const struct keel_mpi_loop *loop,
                                  char name[KEEL_MPI_LOOP_NAME_MAX]);

#endif
