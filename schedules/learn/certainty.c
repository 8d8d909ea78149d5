/* How far a measured value is believed. */
#include "schedules/learn/certainty.h"

#include <math.h>

#define MEMORY 16.0 /* products that the variance goes back */

double keel_certainty_shrink(double measured, double equal, double error)
{
    double difference = measured - equal;
    double doubt = KEEL_CERTAINTY_ERRORS * error;

    if (!(fabs(difference) > doubt)) {
        return equal;
    }
    return equal + difference * (1 - (doubt / difference) * (doubt / difference));
}

void keel_spread_add(struct keel_spread *spread, double value)
{
    double step = value - spread->last;

    if (!isfinite(value)) {
        return;
    }
    if (spread->values >= 2) {
        spread->products = fmin(spread->products + 1, MEMORY);
        spread->variance += (-step * spread->step - spread->variance) / spread->products;
    }
    spread->step = step;
    spread->last = value;
    spread->values = fmin(spread->values + 1, 2);
}

void keel_spread_break(struct keel_spread *spread)
{
    spread->values = 0;
}

double keel_spread_error(const struct keel_spread *spread, double count)
{
    return sqrt(fmax(0, spread->variance) / count);
}
