/* Tapering: guided self-scheduling held back by the deviation of iteration times. */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

/* With t = R/P and v = alpha sigma/mu: t + v^2/2 - v sqrt(2 t + v^2/4)  (Lucco 1992). That is not
 * above 0 for t <= v^2, where for large v nothing but rounding error would be left of it. */
static uint64_t tap_size(const struct keel_view *view)
{
    const union keel_value *value = view->spec->value;
    double share = (double)view->remaining / (double)view->threads;
    double v = value[KEEL_ALPHA].real * value[KEEL_SIGMA].real / value[KEEL_MU].real;

    if (share <= v * v) {
        return 0;
    }
    return count_of(ceil(share + v * v / 2 - v * sqrt(2 * share + v * v / 4)));
}

const struct keel_schedule keel_schedule_tap = {
    .name = "tap",
    .aliases = "taper",
    .summary = "tapering",
    .formula = "ceil(t + v^2/2 - v sqrt(2t + v^2/4)), t = R/P, v = alpha sigma/mu",
    .use = "repeated loops with strongly varying iteration times",
    .source = "Lucco 1992",
    .parameters = KEEL_BIT(KEEL_MU) | KEEL_BIT(KEEL_SIGMA) | KEEL_BIT(KEEL_ALPHA),
    .measured = KEEL_BIT(KEEL_MU) | KEEL_BIT(KEEL_SIGMA),
    .size = tap_size,
};
