/* How often a thread looks for requests of other ranks. */
#include "schedules/objects/quantum.h"

#include <math.h>

double keel_quantum_s(const struct keel_quantum_case *measured, double otherwise_s)
{
    if (!(measured->look_s > 0 && measured->look_s < INFINITY)) {
        return otherwise_s;
    }
    double work_s = measured->work_s > 0 && measured->work_s < INFINITY ? measured->work_s : 0;
    double requests = measured->requests > 0 ? (double)measured->requests : 1;

    return fmax(measured->look_s / KEEL_QUANTUM_COST,
                sqrt(2 * work_s * measured->look_s / requests));
}
