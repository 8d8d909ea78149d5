/* What a process does, as far as others can see. */
#ifndef MPI_BACKEND_JOB_PROCESSES_STATE_H
#define MPI_BACKEND_JOB_PROCESSES_STATE_H

#include <stdbool.h>

/* STOPPED: by SIGSTOP or a terminal; one that a debugger holds counts as running, as somebody looks
 * at it. On another machine: it says nothing, while its machine answers (beats.h). ENDED: also one
 * whose parent has not asked for its exit status yet. LEFT_OUT: others have gone on without it,
 * whatever it does. */
enum keel_mpi_process_state {
    KEEL_MPI_PROCESS_UNKNOWN,
    KEEL_MPI_PROCESS_RUNS,
    KEEL_MPI_PROCESS_STOPPED,
    KEEL_MPI_PROCESS_ENDED,
    KEEL_MPI_PROCESS_LEFT_OUT
};

/* Whether others wait for it in vain. */
static inline bool keel_mpi_process_is_lost(enum keel_mpi_process_state state)
{
    return state == KEEL_MPI_PROCESS_ENDED || state == KEEL_MPI_PROCESS_LEFT_OUT;
}

#endif
