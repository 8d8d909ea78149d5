/* How a process ends that has gone on without other ranks. */
#include "mpi_backend/job/survivors/leaving.h"

#include <mpi.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/job/processes/ending.h"
#include "mpi_backend/job/processes/watchdog.h"
#include "omp_ext/support/message.h"

static bool speaks;

/* Attributes of MPI_COMM_SELF go first in MPI_Finalize(). */
static int at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    keel_mpi_job_close_all();
    keel_mpi_watchdog_end();
    if (speaks) {
        keel_message("ranks end here, with status %d: MPI_Finalize() would wait for those that "
                     "have ended before",
                     KEEL_MPI_RANKS_LOST);
    }
    keel_mpi_end_heard();
}

void keel_mpi_leave_at_finalize(bool tells)
{
    static int key = MPI_KEYVAL_INVALID;

    speaks = tells;
    if (key == MPI_KEYVAL_INVALID &&
        keel_mpi_check(NULL, MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL),
                       "MPI_Comm_create_keyval")) {
        keel_mpi_check(NULL, MPI_Comm_set_attr(MPI_COMM_SELF, key, &key), "MPI_Comm_set_attr");
    }
}
