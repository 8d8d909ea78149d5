/* Loops of OpenMP teams as shared loops: the lender of libkeel.so (omp_ext/share.h). */
#ifndef MPI_BACKEND_SHARE_H
#define MPI_BACKEND_SHARE_H

#include "mpi_backend/keel_mpi.h"
#include "mpi_backend/loop.h"

/* What libkeel_mpi.so exports (libkeel_mpi.lds). */
#define KEEL_PUBLIC __attribute__((visibility("default")))

/* Takes the offer of that loop back; false: a loop of the program has taken it. */
bool keel_share_take_back(struct keel_mpi_loop *loop);

/* keel_mpi_loop_begin() for a loop that begins at `site` of the program. */
int keel_explicit_begin(MPI_Comm comm, uint64_t iterations, unsigned flags, uintptr_t site,
                        struct keel_mpi_loop **loop);

/* What is wrong with a call from this thread at this time, with a message; KEEL_MPI_OK: nothing. */
int keel_share_check(void);

/* Whether a loop of the job runs on this rank, or also is awaited. */
bool keel_share_is_running(const struct keel_job *job);
bool keel_share_is_busy(const struct keel_job *job);

#endif
