/* Which ranks Keel has connected. */
#include "mpi_backend/job/survivors/connected.h"

#include <stdlib.h>

static struct keel_mpi_connected *first;

void keel_mpi_connected_add(const struct keel_mpi_peers *peers)
{
    struct keel_mpi_connected *connected = calloc(1, sizeof *connected), **link = &first;

    if (connected == NULL) {
        return;
    }
    *connected = (struct keel_mpi_connected){.comm = peers->comm,
                                             .rank = peers->rank,
                                             .ranks = peers->ranks,
                                             .host = peers->host,
                                             .processes = peers->processes};
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = connected;
}

void keel_mpi_connected_remove(const struct keel_mpi_peers *peers)
{
    for (struct keel_mpi_connected **link = &first; *link != NULL; link = &(*link)->next) {
        struct keel_mpi_connected *connected = *link;
        if (connected->comm == peers->comm) {
            *link = connected->next;
            keel_mpi_agreement_close(&connected->agreement);
            free(connected->lost);
            free(connected);
            return;
        }
    }
}

struct keel_mpi_connected *keel_mpi_connected_find(MPI_Comm comm)
{
    for (struct keel_mpi_connected *connected = first; connected != NULL;
         connected = connected->next) {
        int how = MPI_UNEQUAL;
        if (MPI_Comm_compare(comm, connected->comm, &how) == MPI_SUCCESS &&
            (how == MPI_CONGRUENT || how == MPI_IDENT)) {
            return connected;
        }
    }
    return NULL;
}

uint32_t keel_mpi_connected_ended(const struct keel_mpi_connected *connected,
                                  const unsigned char *without)
{
    const struct keel_mpi_process *process = connected->processes.process;
    uint32_t i = 0;

    while (i < connected->ranks && (i == connected->rank || (without != NULL && without[i] == 1) ||
                                    keel_mpi_process_look(&process[connected->rank], &process[i]) !=
                                        KEEL_MPI_PROCESS_ENDED)) {
        i++;
    }
    return i;
}
