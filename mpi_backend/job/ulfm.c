/* The ranks that Keel has connected, and MPI's report of ranks that have ended. */
#include "mpi_backend/job/survivors.h"

#include <stdlib.h>

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

/* --- MPI's report of ranks that have ended --- */

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

/* Frees the group with it. Returns how many there are; 0 if that is unknown. */
static int count_failed(MPI_Comm comm, MPI_Group *failed)
{
    int count = 0;

    if (comm == MPI_COMM_NULL || MPIX_Comm_get_failed(comm, failed) != MPI_SUCCESS) {
        return 0;
    }
    MPI_Group_size(*failed, &count);
    if (count == 0) {
        MPI_Group_free(failed);
    }
    return count;
}

/* Collective operations, and several requests at once, have other errors then. */
bool keel_mpi_ulfm_is_loss(int returned, MPI_Comm comm)
{
    MPI_Group failed;
    int kind = MPI_SUCCESS;

    if (returned == MPI_SUCCESS) {
        return false;
    }
    MPI_Error_class(returned, &kind);
    if (kind == MPI_ERR_PROC_FAILED || kind == MPI_ERR_PROC_FAILED_PENDING) {
        return true;
    }
    if (count_failed(comm, &failed) == 0) {
        return false;
    }
    MPI_Group_free(&failed);
    return true;
}

bool keel_mpi_ulfm_passes_over(int returned, MPI_Comm comm)
{
    return keel_mpi_ulfm_is_loss(returned, comm) && MPIX_Comm_failure_ack(comm) == MPI_SUCCESS;
}

static bool learn(MPI_Comm comm, MPI_Group failed, int count, unsigned char *known)
{
    MPI_Group all;
    bool found = false;

    if (MPI_Comm_group(comm, &all) != MPI_SUCCESS) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        int rank = MPI_UNDEFINED;
        MPI_Group_translate_ranks(failed, 1, &i, all, &rank);
        if (rank != MPI_UNDEFINED && !known[rank]) {
            known[rank] = 1;
            found = true;
        }
    }
    MPI_Group_free(&all);
    return found;
}

bool keel_mpi_ulfm_learn(MPI_Comm comm, unsigned char *known)
{
    MPI_Group failed;
    int count = count_failed(comm, &failed);

    if (count == 0) {
        return false;
    }
    bool found = learn(comm, failed, count, known);
    MPI_Group_free(&failed);
    return found;
}

bool keel_mpi_ulfm_say_lost(MPI_Comm comm, uint32_t own, const struct keel_mpi_hosts *hosts,
                            const char *call)
{
    MPI_Group failed, all;
    int first = 0, rank = MPI_UNDEFINED;

    if (hosts == NULL || count_failed(comm, &failed) == 0) {
        return false;
    }
    if (MPI_Comm_group(comm, &all) == MPI_SUCCESS) {
        MPI_Group_translate_ranks(failed, 1, &first, all, &rank);
        MPI_Group_free(&all);
    }
    MPI_Group_free(&failed);
    if (rank != MPI_UNDEFINED) {
        keel_message("rank %u (%s) learns in %s of rank %d (%s), which has ended; nothing is "
                     "shared among these ranks any more",
                     own, keel_mpi_hosts_name(hosts, own), call, rank,
                     keel_mpi_hosts_name(hosts, rank));
    }
    return rank != MPI_UNDEFINED;
}

bool keel_mpi_ulfm_is_on(void)
{
    int found = 0, *on = NULL;

    return MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &on, &found) == MPI_SUCCESS && found &&
           *on != 0;
}

int keel_mpi_ulfm_shrink(MPI_Comm comm, unsigned char *without, MPI_Comm *left)
{
    MPI_Group all, remaining;
    int ranks = 0;

    int returned = MPIX_Comm_shrink(comm, left);
    if (returned != MPI_SUCCESS) {
        return returned;
    }
    MPI_Comm_group(comm, &all);
    MPI_Comm_group(*left, &remaining);
    MPI_Group_size(all, &ranks);
    for (int i = 0; i < ranks; i++) {
        int rank = MPI_UNDEFINED;
        MPI_Group_translate_ranks(all, 1, &i, remaining, &rank);
        without[i] = rank == MPI_UNDEFINED;
    }
    MPI_Group_free(&remaining);
    MPI_Group_free(&all);
    return MPI_SUCCESS;
}

#else

bool keel_mpi_ulfm_say_lost(MPI_Comm comm, uint32_t own, const struct keel_mpi_hosts *hosts,
                            const char *call)
{
    (void)comm;
    (void)own;
    (void)hosts;
    (void)call;
    return false;
}

bool keel_mpi_ulfm_is_on(void)
{
    return false;
}

int keel_mpi_ulfm_shrink(MPI_Comm comm, unsigned char *without, MPI_Comm *left)
{
    (void)comm;
    (void)without;
    (void)left;
    return MPI_ERR_OTHER;
}

bool keel_mpi_ulfm_is_loss(int returned, MPI_Comm comm)
{
    (void)returned;
    (void)comm;
    return false;
}

bool keel_mpi_ulfm_passes_over(int returned, MPI_Comm comm)
{
    (void)returned;
    (void)comm;
    return false;
}

bool keel_mpi_ulfm_learn(MPI_Comm comm, unsigned char *known)
{
    (void)comm;
    (void)known;
    return false;
}

#endif
