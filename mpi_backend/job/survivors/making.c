/* The communicator of the ranks that are left. */
#include "mpi_backend/job/survivors/making.h"

#include <stdlib.h>

#include "mpi_backend/job/processes/watch.h"
#include "mpi_backend/job/settings.h"
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
int keel_mpi_survivors_make(MPI_Comm comm, struct keel_mpi_connected *connected,
                            const unsigned char *without, MPI_Comm *survivors)
{
    (void)connected;
    (void)without;
    MPI_Comm_dup(comm, survivors);
    return KEEL_MPI_OK;
}
#else

/* Whether all ranks that are not in it have ended, as far as MPI has to know. So on all of them. */
static bool have_ended(void)
{
    return keel_mpi_ulfm_is_on() && keel_mpi_settings()->on_late != KEEL_RANKS_ON_LATE_LEAVE;
}

static int create(struct keel_mpi_connected *connected, const unsigned char *without,
                  MPI_Group left, MPI_Comm *survivors)
{
    struct keel_mpi_watch watch;

    keel_mpi_watch_begin(&watch, &connected->processes, connected->rank, connected->host, without,
                         "the communicator of those that are left was made");
    int returned = MPI_Comm_create_group(connected->comm, left, TAG, survivors);
    keel_mpi_watch_end(&watch);
    if (keel_mpi_ulfm_tells_loss(returned, connected->comm)) {
        return KEEL_MPI_RANKS_LOST; /* another one has ended meanwhile */
    }
    return keel_mpi_check(NULL, returned, "MPI_Comm_create_group") ? KEEL_MPI_OK : KEEL_MPI_ERROR;
}

int keel_mpi_survivors_make(MPI_Comm comm, struct keel_mpi_connected *connected,
                            const unsigned char *without, MPI_Comm *survivors)
{
    int *rank = malloc(connected->ranks * sizeof *rank), count = 0;
    MPI_Group all, left;
    MPI_Errhandler handler;

    if (rank == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    for (uint32_t i = 0; i < connected->ranks; i++) {
        if (without[i] != 1) {
            rank[count++] = (int)i;
        }
    }
    MPI_Comm_group(connected->comm, &all);
    MPI_Group_incl(all, count, rank, &left);
    int code = have_ended() ? keel_mpi_ulfm_shrink(connected->comm, count, survivors)
                            : create(connected, without, left, survivors);
    if (code == KEEL_MPI_OK && MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(*survivors, handler);
        MPI_Errhandler_free(&handler);
    }
    MPI_Group_free(&left);
    MPI_Group_free(&all);
    free(rank);
    return code;
}
#endif
