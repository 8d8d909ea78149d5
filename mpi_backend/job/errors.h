/* What becomes of errors: their names, and KEEL_MPI_ON_ERROR. */
#ifndef MPI_BACKEND_JOB_ERRORS_H
#define MPI_BACKEND_JOB_ERRORS_H

#include <stdbool.h>

struct keel_mpi_peers;

/* "KEEL_MPI_MISMATCH", of a code of keel_mpi.h. */
const char *keel_mpi_error_name(int code);

/* The end of every function about shared loops: returns `code`. An error ends the job where
 * KEEL_MPI_ON_ERROR asks for that; a loop that the program has cancelled is none. */
int keel_mpi_error_return(int code);

/* The same after the message, by the rank that has written it for all ranks. These give it time in
 * keel_mpi_error_return(). */
void keel_mpi_error_reported(int code);

/* A message about an error of the program, which its ranks make alike as a rule: of all on one
 * machine, one says that, once. A rank with a message handler of its own hears all. Any thread. */
__attribute__((format(printf, 1, 2))) void keel_mpi_misuse(const char *format, ...);

/* Looks at what a call of MPI has returned. False: it failed, which is said once; with `peers`,
 * their code is KEEL_MPI_ERROR from now on, or KEEL_MPI_RANKS_LOST where MPI tells that (ulfm.h),
 * and the others are told. */
bool keel_mpi_check(struct keel_mpi_peers *peers, int returned, const char *call);

/* Whether a call has failed that was not among any peers: this process and others may be at
 * different operations since, so that it begins none any more. */
bool keel_mpi_check_is_broken(void);

#endif
