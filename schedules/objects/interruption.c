/* What of an object's time the processor was somebody else's. */
#include "schedules/objects/interruption.h"

#include <math.h>

double keel_interruption_s(const struct keel_interruption_case *counts)
{
    if (counts->taken == 0 || counts->given_up > 0) {
        return 0;
    }
    return fmin(fmax(counts->passed_s - counts->processor_s, 0), counts->took_s);
}
