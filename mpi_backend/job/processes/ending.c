/* What becomes of the processes of other ranks on this machine. */
#include "mpi_backend/job/processes/ending.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/processes/fence.h"
#include "mpi_backend/job/processes/lines.h"
#include "mpi_backend/job/settings.h"
#include "omp_ext/support/message.h"

/* us in which mpirun passes on what a process wrote before it ended */
#define HEARD_US 500000

bool keel_mpi_has_lost(const struct keel_mpi_processes *processes)
{
    return keel_mpi_fence_is_shut() || keel_mpi_processes_lost(processes) != KEEL_MPI_NO_RANK;
}

void keel_mpi_say_lost(const struct keel_mpi_processes *processes, uint32_t own, const char *where,
                       const struct keel_mpi_hosts *hosts)
{
    uint32_t rank = keel_mpi_processes_lost(processes);

    if (keel_mpi_fence_is_shut()) {
        keel_message("rank %u (%s) finds %s that the other ranks have left it out, as it had been "
                     "stopped; nothing of its counts until they let it in again",
                     own, keel_mpi_hosts_name(hosts, own), where);
        return;
    }
    const struct keel_mpi_rank_process *other = keel_mpi_processes_of(processes, rank);
    bool left_out =
        keel_mpi_process_look(&processes->own, &other->process) == KEEL_MPI_PROCESS_LEFT_OUT;
    keel_message("rank %u (%s) waits %s for rank %u (%s, process %lld), which %s; nothing is "
                 "shared among these ranks any more",
                 own, keel_mpi_hosts_name(hosts, own), where, rank,
                 keel_mpi_hosts_name(hosts, rank), (long long)other->process.pid,
                 left_out ? "was left out" : "has ended");
}

/* Whether this rank has done so: another one may have before (tests/models/returns.pml: leave). */
static bool go_round(const struct keel_mpi_processes *processes,
                     const struct keel_mpi_process *other)
{
    if (keel_mpi_process_look(&processes->own, other) != KEEL_MPI_PROCESS_STOPPED) {
        return false;
    }
    bool near = keel_mpi_process_is_near(&processes->own, other);
    if (keel_mpi_settings()->on_late == KEEL_RANKS_ON_LATE_END) {
        return near &&
               kill((pid_t)other->pid, SIGKILL) == 0; /* else its kernel does (watchdog.h) */
    }
    return other->fence > 0 && (near ? keel_mpi_fence_shut(other->pid, other->fence)
                                     : keel_mpi_lines_leave(other->line));
}

const char *keel_mpi_stopped_how(const struct keel_mpi_processes *processes, uint32_t rank)
{
    const struct keel_mpi_rank_process *other = keel_mpi_processes_of(processes, rank);

    return other == NULL || keel_mpi_process_is_near(&processes->own, &other->process)
               ? "stopped by a signal"
               : "silent on a machine that answers";
}

bool keel_mpi_end_stopped(const struct keel_mpi_processes *processes, uint32_t own,
                          const struct keel_mpi_hosts *hosts, double looks, double apart_s)
{
    bool ends = keel_mpi_settings()->on_late == KEEL_RANKS_ON_LATE_END, left_out = false;

    if (!ends && keel_mpi_settings()->on_late != KEEL_RANKS_ON_LATE_LEAVE) {
        return false;
    }
    for (uint32_t i = 0; i < processes->count; i++) {
        const struct keel_mpi_rank_process *other = &processes->other[i];
        uint32_t stopped = keel_mpi_process_stopped(other);
        if (stopped > 0 && stopped >= looks && go_round(processes, &other->process)) {
            left_out = !ends;
            keel_message("rank %u (%s, process %lld) has been %s for %.0f s; rank %u %s",
                         other->rank, keel_mpi_hosts_name(hosts, other->rank),
                         (long long)other->process.pid,
                         keel_mpi_stopped_how(processes, other->rank), stopped * apart_s, own,
                         ends ? "ends it (KEEL_MPI_ON_LATE=end)"
                              : "goes on without it (KEEL_MPI_ON_LATE=leave)");
        }
    }
    return left_out;
}

void keel_mpi_end_heard(void)
{
    fflush(NULL);
    usleep(HEARD_US);
    exit(KEEL_MPI_RANKS_LOST);
}

void keel_mpi_end_if_left_out(void)
{
    if (keel_mpi_fence_is_shut() && keel_mpi_settings()->outlives) {
        keel_message("this process ends here, with status %d: the other ranks have left it out, as "
                     "it had been stopped, and MPI_Finalize() would wait for them",
                     KEEL_MPI_RANKS_LOST);
        keel_mpi_end_heard();
    }
}
