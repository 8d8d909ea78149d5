/* The fence in front of a process that others have left out, with KEEL_MPI_ON_LATE=leave: it had
 * been stopped for long, they have gone on without it, and what it had begun is executed by them.
 * It may wake at any time; nothing that it does counts until they let it in again.
 *
 *   others: it has been stopped for the deadline -> shut() -> look() tells that, to all of them
 *   itself: it wakes -> is_shut() -> KEEL_MPI_RANKS_LOST -> others have invited it -> lift()
 *
 * Two words in memory that only the processes of a machine can reach, by /proc, and that go with
 * their process: the epoch that it is in, which is its own to count, and the last one in which it
 * was left out. Those of other machines send word of that (lines.h). So a process that has been
 * found to be left out stays so until all others have gone on without it, and what comes late to
 * shut the fence does not count in the next epoch. No MPI. Any thread. */
#ifndef MPI_BACKEND_JOB_PROCESSES_FENCE_H
#define MPI_BACKEND_JOB_PROCESSES_FENCE_H

#include <stdbool.h>
#include <stdint.h>

/* That of this process, which others name by the number; 0: it can't be left out. Made once. */
int64_t keel_mpi_fence_make(void);

/* This process: whether others have left it out, or it has left them; and in which epoch it is. */
bool keel_mpi_fence_is_shut(void);
bool keel_mpi_fence_read(uint64_t *epoch);

/* It leaves by itself. False: it has no fence. */
bool keel_mpi_fence_shut_own(void);

/* Others have gone on without it, and let it in again, in the next epoch, whose number that is. */
void keel_mpi_fence_lift(uint64_t epoch);

/* Whether that process is left out; leaves it out. False: it has no fence, or can't be reached. */
bool keel_mpi_fence_look(int64_t pid, int64_t fence);
bool keel_mpi_fence_shut(int64_t pid, int64_t fence);

#endif
