/* The communicator of the ranks that are left. */
#include "mpi_backend/job/survivors/making.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/job/processes/watch.h"
#include "mpi_backend/job/survivors/ulfm.h"

#define TAG 32765 /* of MPI_Comm_create_group() */

uint32_t keel_mpi_survivors_first(const unsigned char *without)
{
    uint32_t rank = 0;

    while (without[rank] == 1) {
        rank++;
    }
    return rank;
}

#ifdef KEEL_SIMULATED
bool keel_mpi_survivors_are_mpis(void)
{
    return false;
}

int keel_mpi_survivors_make(MPI_Comm comm, struct keel_mpi_connected *connected,
                            unsigned char *without, MPI_Comm *survivors)
{
    (void)connected;
    (void)without;
    MPI_Comm_dup(comm, survivors);
    return KEEL_MPI_OK;
}
#else

bool keel_mpi_survivors_are_mpis(void)
{
    return keel_mpi_ulfm_is_on();
}

static void watch(struct keel_mpi_watch *watch, struct keel_mpi_connected *connected,
                  const unsigned char *without)
{
    keel_mpi_watch_begin(watch, &connected->processes, connected->rank, connected->hosts, without,
                         "the communicator of those that are left was made");
}

/* Looks for ranks that are stopped: for those that end MPI does not wait. */
static int shrink(struct keel_mpi_connected *connected, unsigned char *without, MPI_Comm *survivors)
{
    struct keel_mpi_watch watched;
    unsigned char *all = malloc(connected->ranks);

    if (all == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    memset(all, 1, connected->ranks);
    watch(&watched, connected, all);
    int returned = keel_mpi_ulfm_shrink(connected->settling, without, survivors);
    keel_mpi_watch_end(&watched);
    free(all);
    return keel_mpi_check(NULL, returned, "MPIX_Comm_shrink") ? KEEL_MPI_OK : KEEL_MPI_ERROR;
}

static int create(struct keel_mpi_connected *connected, const unsigned char *without,
                  MPI_Comm *survivors)
{
    int *rank = malloc(connected->ranks * sizeof *rank), count = 0;
    struct keel_mpi_watch watched;
    MPI_Group all, left;

    if (rank == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    for (uint32_t i = 0; i < connected->ranks; i++) {
        if (without[i] != 1) {
            rank[count++] = (int)i;
        }
    }
    MPI_Comm_group(connected->settling, &all);
    MPI_Group_incl(all, count, rank, &left);
    watch(&watched, connected, without);
    int returned = MPI_Comm_create_group(connected->settling, left, TAG, survivors);
    keel_mpi_watch_end(&watched);
    bool lost =
        keel_mpi_ulfm_tells_loss(returned, connected->settling); /* another one, meanwhile */
    MPI_Group_free(&left);
    MPI_Group_free(&all);
    free(rank);
    if (lost) {
        return KEEL_MPI_RANKS_LOST;
    }
    return keel_mpi_check(NULL, returned, "MPI_Comm_create_group") ? KEEL_MPI_OK : KEEL_MPI_ERROR;
}

int keel_mpi_survivors_make(MPI_Comm comm, struct keel_mpi_connected *connected,
                            unsigned char *without, MPI_Comm *survivors)
{
    MPI_Errhandler handler;
    int code = keel_mpi_survivors_are_mpis() ? shrink(connected, without, survivors)
                                             : create(connected, without, survivors);

    if (code == KEEL_MPI_OK && MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(*survivors, handler);
        MPI_Errhandler_free(&handler);
    }
    return code;
}
#endif
