/* Whether the program may call Keel here and now. */
#ifndef MPI_BACKEND_JOB_CALL_CHECK_H
#define MPI_BACKEND_JOB_CALL_CHECK_H

/* What is wrong with a call from this thread at this time, with a message: KEEL_MPI_OTHER_MPI,
 * KEEL_MPI_NOT_READY, KEEL_MPI_THREADS or KEEL_MPI_ERROR; KEEL_MPI_OK: nothing. Any thread. */
int keel_mpi_call_check(void);

#endif
