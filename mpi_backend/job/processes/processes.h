/* The processes of ranks on this machine: whether one runs, is stopped, or has ended. As the kernel
 * tells, by /proc; without MPI.
 *
 *   each rank's own -> all ranks (peers.c) -> looks, one behind another, while a rank waits
 *
 * Ranks on other machines, or in other containers, can't be looked at: nothing is known of them. */
#ifndef MPI_BACKEND_JOB_PROCESSES_PROCESSES_H
#define MPI_BACKEND_JOB_PROCESSES_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

/* A process, as ranks tell each other. */
struct keel_mpi_process {
    uint64_t numbering; /* of processes: a digest of the machine's boot and of the name spaces; 0:
                           not known */
    uint64_t started;   /* clock ticks since boot: a number may be given to another process later */
    int64_t pid;
};

/* STOPPED: by SIGSTOP or a terminal; one that a debugger holds counts as running, as somebody looks
 * at it. ENDED: also one whose parent has not asked for its exit status yet. */
enum keel_mpi_process_state {
    KEEL_MPI_PROCESS_UNKNOWN,
    KEEL_MPI_PROCESS_RUNS,
    KEEL_MPI_PROCESS_STOPPED,
    KEEL_MPI_PROCESS_ENDED
};

/* This process; its numbering is 0 where /proc does not tell. */
struct keel_mpi_process keel_mpi_process_own(void);

/* The state of `other`, looked at by `own`. Takes some 20 us. Any thread. */
enum keel_mpi_process_state keel_mpi_process_look(const struct keel_mpi_process *own,
                                                  const struct keel_mpi_process *other);

/* The processes of some ranks, as one of them sees them. One thread at a time. */
struct keel_mpi_processes {
    uint32_t own, count;              /* ranks */
    struct keel_mpi_process *process; /* of each rank; all 0: not known */
    int32_t *looks; /* of each rank, in the present wait: how many, up to the last one, have found
                       that it is stopped; less than 0: that it has ended */
};

/* Of ranks whose processes are not known yet. False: no memory. */
bool keel_mpi_processes_open(struct keel_mpi_processes *processes, uint32_t own, uint32_t count);

void keel_mpi_processes_close(struct keel_mpi_processes *processes);

/* Looks at those of all others that can be looked at. first: those before it do not count. */
void keel_mpi_processes_look(struct keel_mpi_processes *processes, bool first);

/* The first rank whose process had ended at each of the last two looks; `count`: none has. */
uint32_t keel_mpi_processes_ended(const struct keel_mpi_processes *processes);

/* At how many looks, up to the last one, that of a rank was stopped; and the most of any rank. */
uint32_t keel_mpi_processes_stopped(const struct keel_mpi_processes *processes, uint32_t rank);
uint32_t keel_mpi_processes_most_stopped(const struct keel_mpi_processes *processes);

#endif
