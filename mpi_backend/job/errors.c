/* What becomes of errors, and what codes mean. */
#include "mpi_backend/job/errors.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/settings.h"
#include "omp_ext/support/message.h"

static const struct {
    const char *name, *text;
} codes[] = {
    [KEEL_MPI_OK] = {"KEEL_MPI_OK", "The call has done what it was asked to."},
    [KEEL_MPI_NOT_READY] = {"KEEL_MPI_NOT_READY", "MPI is not initialised, or has been finalised."},
    [KEEL_MPI_THREADS] = {"KEEL_MPI_THREADS",
                          "The thread level of MPI is too low for a loop of several threads, or "
                          "the calling thread may not call MPI."},
    [KEEL_MPI_COMM] = {"KEEL_MPI_COMM",
                       "The communicator is no intracommunicator, or has been freed."},
    [KEEL_MPI_MISMATCH] = {"KEEL_MPI_MISMATCH",
                           "Ranks came with different loops or schedules, or some with none."},
    [KEEL_MPI_NO_LOOP] = {"KEEL_MPI_NO_LOOP", "No shared loop has run over the communicator."},
    [KEEL_MPI_BUSY] = {"KEEL_MPI_BUSY",
                       "A shared loop is running, or waits for its loop to start."},
    [KEEL_MPI_NO_KEEL] = {"KEEL_MPI_NO_KEEL",
                          "libkeel.so is not in the process, or of a version that does not go with "
                          "libkeel_mpi.so, so no loop can be shared."},
    [KEEL_MPI_NO_ROOM] = {"KEEL_MPI_NO_ROOM", "There is no memory."},
    [KEEL_MPI_ARGUMENT] = {"KEEL_MPI_ARGUMENT", "An argument is out of its range."},
    [KEEL_MPI_CANCELLED] = {"KEEL_MPI_CANCELLED", "The loop was cancelled in some rank."},
    [KEEL_MPI_LATE] = {"KEEL_MPI_LATE", "Other ranks have not come in time."},
    [KEEL_MPI_CALLBACK] = {"KEEL_MPI_CALLBACK",
                           "A function of the program has failed in some rank."},
    [KEEL_MPI_ERROR] = {"KEEL_MPI_ERROR",
                        "A call of MPI has failed, in this rank or in another one."},
    [KEEL_MPI_OTHER_MPI] =
        {"KEEL_MPI_OTHER_MPI",
         "The program uses another MPI than the one that libkeel_mpi.so is for."},
    [KEEL_MPI_NO_OBJECT] = {"KEEL_MPI_NO_OBJECT", "A message went to an object that there is not."},
    [KEEL_MPI_RANKS_LOST] = {"KEEL_MPI_RANKS_LOST", "The process of another rank has ended."},
};

static bool is_code(int code)
{
    return code >= 0 && (size_t)code < sizeof codes / sizeof codes[0] && codes[code].name != NULL;
}

const char *keel_mpi_error_name(int code)
{
    return is_code(code) ? codes[code].name : "an unknown code";
}

KEEL_MPI_PUBLIC const char *keel_mpi_error_text(int code)
{
    return is_code(code) ? codes[code].text : "This is no code that Keel returns.";
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
