/* Loops of OpenMP teams as shared loops: the lender of libkeel.so (omp_ext/lending/lending.h). */
#ifndef MPI_BACKEND_LOOP_LENDER_H
#define MPI_BACKEND_LOOP_LENDER_H

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/loop/loop.h"

/* What libkeel_mpi.so exports (libkeel_mpi.lds). */
#define KEEL_MPI_PUBLIC __attribute__((visibility("default")))

/* Takes the offer of that loop back; false: a loop of the program has taken it. */
bool keel_mpi_lender_withdraw(struct keel_mpi_loop *loop);

/* keel_mpi_loop_begin() for a loop that begins at `site` of the program. */
int keel_mpi_explicit_begin(MPI_Comm comm, uint64_t iterations, unsigned flags, uintptr_t site,
                            struct keel_mpi_loop **loop);

/* What is wrong with a call from this thread at this time, with a message; KEEL_MPI_OK: nothing. */
int keel_mpi_lender_check_call(void);

/* Notes that the program's last loop is not shared, as `code` says, so that calls about it return
 * that; KEEL_MPI_OK: it is. Returns `code`. */
int keel_mpi_lender_refuse(MPI_Comm comm, int code);

/* The job of a communicator, ready for questions about its last loop; NULL: *code tells why not,
 * with a message. */
struct keel_mpi_job *keel_mpi_lender_job(MPI_Comm comm, int *code);

/* Waits for all loops of the job; the code of the last one. Collective. */
int keel_mpi_lender_complete(struct keel_mpi_job *job);

/* Whether a loop of the job runs on this rank, or also is awaited. */
bool keel_mpi_lender_is_running(const struct keel_mpi_job *job);
bool keel_mpi_lender_is_busy(const struct keel_mpi_job *job);

#endif
