/* The processes of other ranks: whether one runs, is stopped, or has ended. As the kernel tells, by
 * /proc, of those on this machine; of others, that they have ended, as lines tell (lines.h), where
 * there are any. Without MPI.
 *
 *   each rank's own -> all ranks (finding.c) -> looks, one behind another, while a rank waits */
#ifndef MPI_BACKEND_JOB_PROCESSES_PROCESSES_H
#define MPI_BACKEND_JOB_PROCESSES_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/hosts.h"

/* What a process does, as far as others can see. STOPPED: by SIGSTOP or a terminal; one that a
 * debugger holds counts as running, as somebody looks at it. ENDED: also one whose parent has not
 * asked for its exit status yet. Of one on another machine, only that is ever known. */
enum keel_mpi_process_state {
    KEEL_MPI_PROCESS_UNKNOWN,
    KEEL_MPI_PROCESS_RUNS,
    KEEL_MPI_PROCESS_STOPPED,
    KEEL_MPI_PROCESS_ENDED
};

/* A process, as ranks tell each other. */
struct keel_mpi_process {
    uint64_t numbering; /* of processes: a digest of the machine's boot and of the name spaces; 0:
                           not known */
    uint64_t started;   /* clock ticks since boot: a number may be given to another process later */
    int64_t pid;
    uint64_t line; /* the number of its end (lines.h); 0: it has none */
};

/* This process; its numbering is 0 where /proc does not tell. */
struct keel_mpi_process keel_mpi_process_own(void);

/* The state of `other`, looked at by `own`. Takes some 20 us. Any thread. */
enum keel_mpi_process_state keel_mpi_process_look(const struct keel_mpi_process *own,
                                                  const struct keel_mpi_process *other);

/* The processes of the other ranks that are looked at. One thread at a time. All zero: none is
 * known. */
struct keel_mpi_processes {
    struct keel_mpi_process own;
    uint32_t count;
    struct keel_mpi_rank_process {
        struct keel_mpi_process process;
        uint32_t rank; /* increasing */
        int32_t looks; /* in the present wait: how many, up to the last one, have found that it is
                          stopped; less than 0: that it has ended */
    } * other;
};

/* Of those among `all`, the processes of ranks 0 to count - 1, of which `own` is this one's: that
 * are on this machine, or that are watched. Without memory, none. */
void keel_mpi_processes_open(struct keel_mpi_processes *processes, uint32_t own,
                             const struct keel_mpi_process *all, uint32_t count,
                             const bool *watched);

/* Whether `own` can look at that process by /proc. */
static inline bool keel_mpi_process_is_near(const struct keel_mpi_process *own,
                                            const struct keel_mpi_process *other)
{
    return own->numbering != 0 && other->numbering == own->numbering;
}

void keel_mpi_processes_close(struct keel_mpi_processes *processes);

/* Looks at all of them. first: what was seen before does not count. */
void keel_mpi_processes_look(struct keel_mpi_processes *processes, bool first);

/* The process of a rank; NULL: it can't be looked at. */
const struct keel_mpi_rank_process *
keel_mpi_processes_of(const struct keel_mpi_processes *processes, uint32_t rank);

#define KEEL_MPI_NO_RANK UINT32_MAX

/* The first rank whose process had ended at each of the last two looks; KEEL_MPI_NO_RANK: none. */
uint32_t keel_mpi_processes_lost(const struct keel_mpi_processes *processes);

/* At how many looks, up to the last one, one was stopped; and the most of any. */
uint32_t keel_mpi_process_stopped(const struct keel_mpi_rank_process *other);
uint32_t keel_mpi_processes_most_stopped(const struct keel_mpi_processes *processes);

/* The first rank that was stopped at so many looks, up to the last one; KEEL_MPI_NO_RANK: none. */
uint32_t keel_mpi_processes_long_stopped(const struct keel_mpi_processes *processes, double looks);

/* --- those that have ended, or have been stopped for long --- */

/* Says which rank has ended, as keel_mpi_processes_lost() has it, and that `own`, this rank, waits
 * there ("in keel_mpi_gather()"). hosts: of all ranks. */
void keel_mpi_say_lost(const struct keel_mpi_processes *processes, uint32_t own, const char *where,
                       const struct keel_mpi_hosts *hosts);

/* own: this rank. With KEEL_MPI_ON_LATE=end it ends the processes on its machine that were stopped
 * at so many looks, each of them `apart_s` after the one before; the next looks find that. So they
 * do not go on later, with what others have done by then in their place. */
void keel_mpi_end_stopped(const struct keel_mpi_processes *processes, uint32_t own,
                          const struct keel_mpi_hosts *hosts, double looks, double apart_s);

#endif
