/* When a wait that has looked in vain leaves its processor to others. */
#include "mpi_backend/job/processes/processes.h"

#include <stdatomic.h>

#include "schedules/objects/gift.h"

#ifdef KEEL_SIMULATED /* where each look takes long to simulate, and nobody else computes */
#define PATIENCE 0
#else
#define PATIENCE 1
#endif

/* How long this process was away when it last gave way, s. */
static _Atomic double away_s;

struct keel_mpi_give_way keel_mpi_give_way_begin(double time_s)
{
    /* relaxed: a hint */
    double last_s = atomic_load_explicit(&away_s, memory_order_relaxed);

    return (struct keel_mpi_give_way){time_s + PATIENCE * keel_presence_patience_s(last_s)};
}

void keel_mpi_give_way_note(struct keel_mpi_give_way *way, double began_s, double time_s)
{
    /* relaxed: as above */
    atomic_store_explicit(&away_s, time_s - began_s, memory_order_relaxed);
    *way = keel_mpi_give_way_begin(time_s);
}
