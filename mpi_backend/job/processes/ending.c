/* What becomes of the processes of other ranks on this machine. */
#include "mpi_backend/job/processes/ending.h"

#include <signal.h>

#include "mpi_backend/job/settings.h"
#include "omp_ext/support/message.h"

void keel_mpi_say_lost(const struct keel_mpi_processes *processes, uint32_t own, const char *where,
                       const struct keel_mpi_hosts *hosts)
{
    uint32_t rank = keel_mpi_processes_lost(processes);
    const struct keel_mpi_rank_process *other = keel_mpi_processes_of(processes, rank);

    keel_message("rank %u (%s) waits %s for rank %u (%s, process %lld), which has ended; nothing "
                 "is shared among these ranks any more",
                 own, keel_mpi_hosts_name(hosts, own), where, rank,
                 keel_mpi_hosts_name(hosts, rank), (long long)other->process.pid);
}

/* Whether this rank has done so: another one may have before. */
static bool end_process(const struct keel_mpi_processes *processes,
                        const struct keel_mpi_process *other)
{
    return keel_mpi_process_look(&processes->own, other) == KEEL_MPI_PROCESS_STOPPED &&
           kill((pid_t)other->pid, SIGKILL) == 0;
}

void keel_mpi_end_stopped(const struct keel_mpi_processes *processes, uint32_t own,
                          const struct keel_mpi_hosts *hosts, double looks, double apart_s)
{
    if (keel_mpi_settings()->on_late != KEEL_RANKS_ON_LATE_END) {
        return;
    }
    for (uint32_t i = 0; i < processes->count; i++) {
        const struct keel_mpi_rank_process *other = &processes->other[i];
        uint32_t stopped = keel_mpi_process_stopped(other);
        if (stopped > 0 && stopped >= looks && end_process(processes, &other->process)) {
            keel_message("rank %u (%s, process %lld) has been stopped by a signal for %.1f s; rank "
                         "%u ends it (KEEL_MPI_ON_LATE=end)",
                         other->rank, keel_mpi_hosts_name(hosts, other->rank),
                         (long long)other->process.pid, stopped * apart_s, own);
        }
    }
}
