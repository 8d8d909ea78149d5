/* Waits of a rank in a shared loop for other ranks. */
#include "mpi_backend/loop/exchange/loop_wait.h"

#include <stdio.h>

#include "mpi_backend/job/job_lock.h"
#include "mpi_backend/loop/exchange/identity.h"

static void write_place(const void *subject, char *text)
{
    const struct keel_mpi_loop *loop = subject;
    char name[KEEL_MPI_LOOP_NAME_MAX] = "";

    if (loop->caller != NULL) {
        keel_mpi_identity_loop_name(loop, name);
    }
    snprintf(text, KEEL_MPI_WAIT_WHERE, "in %s%s",
             loop->caller != NULL ? "the shared loop " : "a shared loop", name);
}

struct keel_mpi_wait_state keel_mpi_loop_wait_begin(const struct keel_mpi_loop *loop)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(&loop->job->peers, "in a shared loop");

    wait.write = write_place;
    wait.subject = loop;
    return wait;
}

#define CALM 64 /* looks until it matters how long others take */

bool keel_mpi_loop_wait_goes_on(struct keel_mpi_loop *loop, struct keel_mpi_wait_state *wait,
                                unsigned looks)
{
    if (looks < CALM) {
        return true;
    }
    keel_mpi_job_lock(loop->job);
    bool goes_on = keel_mpi_wait_goes_on(wait);
    keel_mpi_job_unlock(loop->job);
    return goes_on;
}
