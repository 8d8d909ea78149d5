/* Own cores, or all. */
#include "mpi_backend/calls/cores_decision.h"

#include <math.h>

double keel_cores_idle(unsigned own, double busy_s, double period_s)
{
    return fmax(0, own - busy_s / period_s);
}

unsigned keel_cores_threads(const struct keel_cores_seen *seen)
{
    double more = seen->all - seen->own;
    double left = fmax(0, seen->idle - seen->own_idle * more / seen->own);
    double idle = fmin(left, more);
    double cores = seen->own + idle;
    double on_own_s =
        seen->threads > seen->own ? seen->region_s * cores / seen->own : seen->region_s;
    double on_all_s = on_own_s * seen->own / cores + more * KEEL_CORES_SWITCH_S;
    double gain = 1 - on_all_s / on_own_s;

    return gain >= KEEL_CORES_TAKE   ? seen->all
           : gain < KEEL_CORES_LEAVE ? seen->own
                                     : seen->threads;
}
