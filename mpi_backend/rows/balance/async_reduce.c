/* Figures that all ranks tell each other after sweeps. */
#include "mpi_backend/rows/balance/async_reduce.h"

#include <string.h>

#define FIRST 2
#define DISTANCE \
    16 /* from one to the next, at most: P log P messages are few among those of sweeps */

void keel_telling_open(struct keel_telling *telling, struct keel_peers *peers, MPI_Comm comm)
{
    *telling = (struct keel_telling){.peers = peers, .comm = comm, .due = FIRST};
}

bool keel_telling_is_due(const struct keel_telling *telling, uint64_t sweep)
{
    return sweep == telling->due;
}

/* At least two, so that there is a sweep beside which nothing is told. */
static uint64_t distance_from(uint64_t sweep)
{
    uint64_t distance = sweep / 2;

    return distance > DISTANCE ? DISTANCE : distance < 2 ? 2 : distance;
}

static bool wait_for_oldest(struct keel_telling *telling)
{
    return keel_peers_await(telling->peers, "for figures of sweeps", 1,
                            &telling->told[telling->taken++ % KEEL_TELLINGS].request) ==
           KEEL_MPI_OK;
}

void keel_telling_begin(struct keel_telling *telling, uint64_t sweep,
                        const struct keel_sweep_figures *own)
{
    unsigned i = telling->begun % KEEL_TELLINGS;

    if (telling->begun - telling->taken == KEEL_TELLINGS) {
        if (!wait_for_oldest(telling)) {
            return;
        }
    }
    /* numbers >= 0 are in the order of their representations */
    memcpy(telling->told[i].own, own, sizeof *own);
    if (keel_check(telling->peers,
                   MPI_Iallreduce(telling->told[i].own, telling->told[i].all, KEEL_TOLD,
                                  MPI_UINT64_T, MPI_MAX, telling->comm, &telling->told[i].request),
                   "MPI_Iallreduce")) {
        telling->begun++;
    }
    telling->due = sweep + distance_from(sweep);
}

bool keel_telling_take(struct keel_telling *telling, struct keel_sweep_figures *all)
{
    unsigned i = telling->taken % KEEL_TELLINGS;
    int done = 0;

    if (telling->taken != telling->begun) {
        done =
            keel_check(telling->peers,
                       MPI_Test(&telling->told[i].request, &done, MPI_STATUS_IGNORE), "MPI_Test") &&
            done;
    }
    if (done) {
        memcpy(all, telling->told[i].all, sizeof *all);
        telling->taken++;
    }
    return done;
}

void keel_telling_close(struct keel_telling *telling)
{
    while (telling->taken != telling->begun && wait_for_oldest(telling)) {
    }
}
