/* Which ranks Keel has connected. */
#include "mpi_backend/job/survivors/connected.h"

#include <signal.h>
#include <stdlib.h>

#include "mpi_backend/job/processes/fence.h"
#include "omp_ext/support/message.h"

static struct keel_mpi_connected *first;

void keel_mpi_connected_add(const struct keel_mpi_peers *peers)
{
    struct keel_mpi_connected *connected = calloc(1, sizeof *connected), **link = &first;

    if (connected == NULL) {
        return;
    }
    *connected = (struct keel_mpi_connected){.comm = peers->comm,
                                             .settling = peers->settling,
                                             .rank = peers->rank,
                                             .ranks = peers->ranks,
                                             .hosts = peers->hosts,
                                             .processes = peers->processes};
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = connected;
}

static bool has_same_ranks(MPI_Comm comm, MPI_Comm other)
{
    int how = MPI_UNEQUAL;

    return MPI_Comm_compare(comm, other, &how) == MPI_SUCCESS &&
           (how == MPI_CONGRUENT || how == MPI_IDENT);
}

static struct keel_mpi_connected *find_from(struct keel_mpi_connected *connected, MPI_Comm comm)
{
    while (connected != NULL && !has_same_ranks(comm, connected->comm)) {
        connected = connected->next;
    }
    return connected;
}

/* The only one that connects all ranks of the job. So on all of them. */
static bool is_needed(const struct keel_mpi_connected *connected)
{
    return has_same_ranks(MPI_COMM_WORLD, connected->comm) &&
           find_from(first, MPI_COMM_WORLD) == connected &&
           find_from(connected->next, MPI_COMM_WORLD) == NULL;
}

bool keel_mpi_connected_remove(const struct keel_mpi_peers *peers)
{
    struct keel_mpi_connected **link = &first, *connected;

    while (*link != NULL && (*link)->comm != peers->comm) {
        link = &(*link)->next;
    }
    if ((connected = *link) == NULL) {
        return true;
    }
    if (is_needed(connected) || connected->returns != NULL) {
        return false;
    }
    *link = connected->next;
    keel_mpi_agreement_close(&connected->agreement);
    free(connected->lost);
    free(connected);
    return true;
}

struct keel_mpi_connected *keel_mpi_connected_find(MPI_Comm comm)
{
    struct keel_mpi_connected *found = find_from(first, comm);

    while (found != NULL && found->past) {
        found = find_from(found->next, comm);
    }
    return found;
}

void keel_mpi_connected_pass(MPI_Comm comm)
{
    for (struct keel_mpi_connected *each = first; (each = find_from(each, comm)) != NULL;
         each = each->next) {
        each->past = true;
    }
}

/* Whether it sleeps behind its fence. */
static bool is_left_asleep(const struct keel_mpi_process *own, struct keel_mpi_process other)
{
    bool left_out =
        keel_mpi_process_is_near(own, &other) && keel_mpi_fence_look(other.pid, other.fence);

    other.fence = 0; /* in front of which it is stopped, or not */
    return left_out && keel_mpi_process_look(own, &other) == KEEL_MPI_PROCESS_STOPPED;
}

void keel_mpi_connected_end_stopped(void)
{
    for (const struct keel_mpi_connected *each = first; each != NULL; each = each->next) {
        for (uint32_t i = 0; i < each->processes.count; i++) {
            const struct keel_mpi_rank_process *other = &each->processes.other[i];
            if (is_left_asleep(&each->processes.own, other->process) &&
                kill((pid_t)other->process.pid, SIGKILL) == 0) {
                keel_message("rank %u (%s, process %lld), which was left out and is still stopped, "
                             "is ended, as the job ends",
                             other->rank, keel_mpi_hosts_name(each->hosts, other->rank),
                             (long long)other->process.pid);
            }
        }
    }
}
