/* Whether the program may call Keel here and now: MPI is there, it is the one that this library was
 * built for, and the thread may call it. */
#include "mpi_backend/job/call_check.h"

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/job/mpi_kind.h"

int keel_mpi_call_check(void)
{
    int initialised, finalised = 0;

    if (keel_mpi_kind_is_wrong()) {
        return KEEL_MPI_OTHER_MPI;
    }
    if (!keel_mpi_check(NULL, MPI_Initialized(&initialised), "MPI_Initialized") ||
        (initialised && !keel_mpi_check(NULL, MPI_Finalized(&finalised), "MPI_Finalized"))) {
        keel_mpi_job_fail_all();
        return KEEL_MPI_ERROR;
    }
    if (!initialised || finalised) {
        keel_mpi_misuse("MPI is %s; nothing is shared among ranks",
                        initialised ? "finalised" : "not initialised");
        return KEEL_MPI_NOT_READY;
    }
    bool calls_mpi = keel_mpi_job_may_call_mpi();
    if (keel_mpi_check_is_broken()) {
        keel_mpi_job_fail_all();
        return KEEL_MPI_ERROR;
    }
    if (!calls_mpi) {
        keel_mpi_misuse(
            "a thread that may not call MPI wants to share a loop among ranks; expected "
            "the one that initialised it, or MPI_THREAD_SERIALIZED; nothing is shared");
        return KEEL_MPI_THREADS;
    }
    return KEEL_MPI_OK;
}
