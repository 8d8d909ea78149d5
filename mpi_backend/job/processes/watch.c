/* The processes of other ranks, while this one is in a call of MPI that can't be given up. */
#include "mpi_backend/job/processes/processes.h"

#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/support/message.h"

#define APART_S 1     /* from look to look */
#define ENDED_LOOKS 3 /* it may have come before it ended, so that all is well */

#ifdef KEEL_SIMULATED
void keel_mpi_watch_begin(struct keel_mpi_watch *watch, struct keel_mpi_processes *processes,
                          uint32_t rank, const struct keel_mpi_hosts *hosts,
                          const unsigned char *without, const char *what)
{
    (void)processes, (void)rank, (void)hosts, (void)without, (void)what;
    watch->looks.runs = false;
}

void keel_mpi_watch_end(struct keel_mpi_watch *watch)
{
    (void)watch;
}
#else

/* Where a rank has ended, others may go on without this one, too. One that is stopped does not end
 * with it: all of them do, as where a program gets KEEL_MPI_LATE. */
static void end_process(const struct keel_mpi_watch *watch, uint32_t rank, int code)
{
    keel_message("rank %u (%s) ends, as rank %u (%s) has %s while %s, which MPI can't give up",
                 watch->rank, keel_mpi_hosts_name(watch->hosts, watch->rank), rank,
                 keel_mpi_hosts_name(watch->hosts, rank),
                 code == KEEL_MPI_LATE ? "been stopped by a signal" : "ended", watch->what);
    if (code == KEEL_MPI_LATE) {
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    _exit(code);
}

/* The first rank that is waited for and had ended at so many looks; KEEL_MPI_NO_RANK: none. */
static uint32_t ended_rank(const struct keel_mpi_watch *watch)
{
    const struct keel_mpi_processes *processes = watch->processes;

    for (uint32_t i = 0; i < processes->count; i++) {
        const struct keel_mpi_rank_process *other = &processes->other[i];
        if ((watch->without == NULL || watch->without[other->rank] != 1) &&
            other->looks <= -ENDED_LOOKS) {
            return other->rank;
        }
    }
    return KEEL_MPI_NO_RANK;
}

/* Says once that this rank waits for others whose processes it can't look at, as they are on other
 * machines. */
static void check_deadline(const struct keel_mpi_watch *watch, double deadline_looks, bool ends)
{
    if (watch->looked < deadline_looks || watch->looked - 1 >= deadline_looks) {
        return;
    }
    keel_message("rank %u (%s) has waited %.1f s while %s, which MPI can't give up "
                 "(KEEL_MPI_DEADLINE)%s",
                 watch->rank, keel_mpi_hosts_name(watch->hosts, watch->rank),
                 watch->looked * (double)APART_S, watch->what, ends ? "; the job ends" : "");
    if (ends) {
        MPI_Abort(MPI_COMM_WORLD, KEEL_MPI_LATE);
    }
}

static double look(void *context)
{
    struct keel_mpi_watch *watch = context;
    enum keel_ranks_on_late on_late = keel_mpi_settings()->on_late;
    double deadline_looks = keel_mpi_settings()->deadline_s / APART_S;

    keel_mpi_processes_look(watch->processes, watch->looked == 0);
    watch->looked++;
    uint32_t rank = ended_rank(watch);
    if (rank != KEEL_MPI_NO_RANK) {
        end_process(watch, rank, KEEL_MPI_RANKS_LOST);
    }
    rank = keel_mpi_processes_long_stopped(watch->processes, deadline_looks);
    if (rank != KEEL_MPI_NO_RANK &&
        (on_late == KEEL_RANKS_ON_LATE_AUTO || on_late == KEEL_RANKS_ON_LATE_FAIL)) {
        end_process(watch, rank, KEEL_MPI_LATE);
    }
    keel_mpi_end_stopped(watch->processes, watch->rank, watch->hosts, deadline_looks, APART_S);
    check_deadline(watch, deadline_looks, on_late == KEEL_RANKS_ON_LATE_FAIL);
    return APART_S;
}

void keel_mpi_watch_begin(struct keel_mpi_watch *watch, struct keel_mpi_processes *processes,
                          uint32_t rank, const struct keel_mpi_hosts *hosts,
                          const unsigned char *without, const char *what)
{
    *watch = (struct keel_mpi_watch){
        .processes = processes, .hosts = hosts, .without = without, .what = what, .rank = rank};
    keel_mpi_periodic_start(&watch->looks, APART_S, look, watch);
}

void keel_mpi_watch_end(struct keel_mpi_watch *watch)
{
    keel_mpi_periodic_stop(&watch->looks);
}
#endif
