/* What a process does, as far as others can see. */
#ifndef MPI_BACKEND_JOB_PROCESSES_STATE_H
#define MPI_BACKEND_JOB_PROCESSES_STATE_H

/* STOPPED: by SIGSTOP or a terminal; one that a debugger holds counts as running, as somebody looks
 * at it. On another machine: it says nothing, while its machine answers (beats.h). ENDED: also one
 * whose parent has not asked for its exit status yet. */
enum keel_mpi_process_state {
    KEEL_MPI_PROCESS_UNKNOWN,
    KEEL_MPI_PROCESS_RUNS,
    KEEL_MPI_PROCESS_STOPPED,
    KEEL_MPI_PROCESS_ENDED
};

#endif
