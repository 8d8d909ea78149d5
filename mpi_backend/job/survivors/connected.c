/* Which ranks Keel has connected. */
#include "mpi_backend/job/survivors/survivors.h"

#include <stdlib.h>

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
    if (is_needed(connected)) {
        return false;
    }
    *link = connected->next;
    free(connected->agreement.known);
    free(connected->agreement.set);
    free(connected->lost);
    free(connected);
    return true;
}

struct keel_mpi_connected *keel_mpi_connected_find(MPI_Comm comm)
{
    return find_from(first, comm);
}
