/* What becomes of errors. */
#include "mpi_backend/job/errors.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/settings.h"
#include "omp_ext/support/message.h"

static const char *const names[] = {
    [KEEL_MPI_OK] = "KEEL_MPI_OK",
    [KEEL_MPI_NOT_READY] = "KEEL_MPI_NOT_READY",
    [KEEL_MPI_THREADS] = "KEEL_MPI_THREADS",
    [KEEL_MPI_COMM] = "KEEL_MPI_COMM",
    [KEEL_MPI_MISMATCH] = "KEEL_MPI_MISMATCH",
    [KEEL_MPI_NO_LOOP] = "KEEL_MPI_NO_LOOP",
    [KEEL_MPI_BUSY] = "KEEL_MPI_BUSY",
    [KEEL_MPI_NO_KEEL] = "KEEL_MPI_NO_KEEL",
    [KEEL_MPI_NO_ROOM] = "KEEL_MPI_NO_ROOM",
    [KEEL_MPI_ARGUMENT] = "KEEL_MPI_ARGUMENT",
    [KEEL_MPI_CANCELLED] = "KEEL_MPI_CANCELLED",
    [KEEL_MPI_LATE] = "KEEL_MPI_LATE",
    [KEEL_MPI_CALLBACK] = "KEEL_MPI_CALLBACK",
    [KEEL_MPI_ERROR] = "KEEL_MPI_ERROR",
};

const char *keel_mpi_error_name(int code)
{
    bool known = code >= 0 && (size_t)code < sizeof names / sizeof names[0] && names[code] != NULL;

    return known ? names[code] : "an unknown code";
}

/* Before and after MPI there is no job to end. */
static bool is_mpi_there(void)
{
    int initialised, finalised = 0;

    MPI_Initialized(&initialised);
    if (initialised) {
        MPI_Finalized(&finalised);
    }
    return initialised && !finalised;
}

static bool ends_job(int code)
{
    return code != KEEL_MPI_OK && code != KEEL_MPI_CANCELLED && keel_mpi_settings()->aborts &&
           is_mpi_there();
}

static void end_job(int code)
{
    keel_message("KEEL_MPI_ON_ERROR=abort: the job ends with %d (%s)", code,
                 keel_mpi_error_name(code));
    MPI_Abort(MPI_COMM_WORLD, code);
}

void keel_mpi_error_reported(int code)
{
    if (ends_job(code)) {
        end_job(code);
    }
}

#define TELLING_S 5 /* one rank looks names up in debug information, for all of them */

int keel_mpi_error_return(int code)
{
    if (ends_job(code)) {
        if (code == KEEL_MPI_MISMATCH) {
            nanosleep(&(struct timespec){.tv_sec = TELLING_S}, NULL);
        }
        end_job(code);
    }
    return code;
}
