/* Loops that are lent to libkeel.so (omp_ext/lending/lending.h): which of them a thread comes for.
 *
 *   lender.c -> [loan] -> libkeel.so -> join(loan) of lender.c */
#ifndef MPI_BACKEND_LOOP_LOAN_H
#define MPI_BACKEND_LOOP_LOAN_H

#include <stdbool.h>
#include <stdint.h>

struct keel_lender;
struct keel_mpi_loop;

/* What a lender's join() gets as its context. A thread may join after the loop has gone, so the
 * last 1024 loans are kept: the loop's number tells whether it is still the same. */
struct keel_mpi_loan {
    struct keel_mpi_loop *loop;
    uint64_t number;
};

/* Lends the loop to the next loop that a team of this process starts. KEEL_MPI_OK, or what stands
 * against it, with a message: KEEL_MPI_NO_KEEL, KEEL_MPI_BUSY. By a thread that may call MPI. */
int keel_mpi_loan_make(const struct keel_lender *lender, struct keel_mpi_loop *loop);

/* Takes the loan of that loop back; false: a loop of the program has taken it. */
bool keel_mpi_loan_withdraw(struct keel_mpi_loop *loop);

#endif
