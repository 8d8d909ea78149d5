/* What becomes of errors: their names, and KEEL_MPI_ON_ERROR. */
#ifndef MPI_BACKEND_PROCESS_ERRORS_H
#define MPI_BACKEND_PROCESS_ERRORS_H

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

#endif
