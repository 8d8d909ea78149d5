/* Figures that all ranks tell each other after sweeps. */
#include "mpi_backend/rows/telling.h"

#include <string.h>

#define FIRST 2
#define DISTANCE \
    16 /* from one to the next, at most: P log P messages are few among those of sweeps */

void keel_telling_open(struct keel_telling *telling, MPI_Comm comm)
{
    *telling = (struct keel_telling){.comm = comm, .due = FIRST};
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

void keel_telling_begin(struct keel_telling *telling, uint64_t sweep,
                        const struct keel_sweep_figures *own)
{
    unsigned i = telling->begun % KEEL_TELLINGS;

    if (telling->begun - telling->taken == KEEL_TELLINGS) {
        MPI_Wait(&telling->told[telling->taken++ % KEEL_TELLINGS].request, MPI_STATUS_IGNORE);
    }
    /* numbers >= 0 are in the order of their representations */
    memcpy(telling->told[i].own, own, sizeof *own);
    MPI_Iallreduce(telling->told[i].own, telling->told[i].all, KEEL_TOLD, MPI_UINT64_T, MPI_MAX,
                   telling->comm, &telling->told[i].request);
    telling->begun++;
    telling->due = sweep + distance_from(sweep);
}

bool keel_telling_take(struct keel_telling *telling, struct keel_sweep_figures *all)
{
    unsigned i = telling->taken % KEEL_TELLINGS;
    int done = 0;

    if (telling->taken != telling->begun) {
        MPI_Test(&telling->told[i].request, &done, MPI_STATUS_IGNORE);
    }
    if (done) {
        memcpy(all, telling->told[i].all, sizeof *all);
        telling->taken++;
    }
    return done;
}

void keel_telling_close(struct keel_telling *telling)
{
    while (telling->taken != telling->begun) {
        MPI_Wait(&telling->told[telling->taken++ % KEEL_TELLINGS].request, MPI_STATUS_IGNORE);
    }
}
