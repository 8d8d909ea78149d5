/* Whether all ranks are well. */
#include "mpi_backend/job/agreement/well.h"

#include <math.h>
#include <sched.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/errors.h"

#ifdef KEEL_SIMULATED
bool keel_mpi_all_are_well(struct keel_mpi_peers *peers, const char *where, bool well)
{
    uint64_t ill = !well;

    return keel_mpi_peers_maxima(peers, where, &ill, 1) == KEEL_MPI_OK && !ill;
}
#else

#define LOOKS 64     /* until the processor is given to others between two looks */
#define TOGETHER_S 5 /* in which ranks come that know of an error, at most */

/* Ranks that have got an error still come; those that wait no longer for others do not. */
static bool all_come(const struct keel_mpi_wait_state *wait)
{
    int code = keel_mpi_wait_code(wait);

    return code != KEEL_MPI_LATE && code != KEEL_MPI_RANKS_LOST;
}

/* Waits until all have come, for a while also once something has failed. */
static bool have_all_come(struct keel_mpi_wait_state *wait, MPI_Request *request)
{
    double failed_s = 0;

    for (unsigned looks = 0;; looks++) {
        int done = 0;
        if (keel_mpi_check(wait->peers, MPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test") &&
            done) {
            return true;
        }
        if (looks < LOOKS) {
            continue;
        }
        if (!keel_mpi_wait_goes_on(wait)) {
            double time_s = keel_mpi_clock_s();
            failed_s = failed_s != 0 ? failed_s : time_s;
            if (!all_come(wait) || time_s - failed_s > fmin(wait->limit_s, TOGETHER_S)) {
                return false;
            }
        }
        sched_yield();
    }
}

/* Over the communicator of notices, where nothing else is collective: ranks that have failed may
 * have missed what was among the others. */
bool keel_mpi_all_are_well(struct keel_mpi_peers *peers, const char *where, bool well)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(peers, where);
    MPI_Request request;

    peers->ill[0] = !well || keel_mpi_peers_code(peers) != KEEL_MPI_OK;
    return all_come(&wait) && peers->notices != MPI_COMM_NULL &&
           keel_mpi_check(peers,
                          MPI_Iallreduce(&peers->ill[0], &peers->ill[1], 1, MPI_UINT64_T, MPI_MAX,
                                         peers->notices, &request),
                          "MPI_Iallreduce") &&
           have_all_come(&wait, &request) && peers->ill[1] == 0;
}
#endif
