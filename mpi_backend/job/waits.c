/* How long this process has waited for other ranks. */
#include "mpi_backend/job/waits.h"

#include <stdatomic.h>
#include <stdint.h>

#include "mpi_backend/job/clock.h"

static _Atomic uint64_t sum_ns;

double keel_mpi_waits_add(double began_ns)
{
    double waited_ns = keel_mpi_clock_ns() - began_ns;

    /* relaxed: a sum */
    atomic_fetch_add_explicit(&sum_ns, (uint64_t)(waited_ns > 0 ? waited_ns : 0),
                              memory_order_relaxed);
    return waited_ns;
}

double keel_mpi_waits_s(void)
{
    return (double)atomic_load_explicit(&sum_ns, memory_order_relaxed) * 1e-9;
}
