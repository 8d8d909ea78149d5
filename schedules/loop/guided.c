/* Guided self-scheduling: alone, behind a first part in equal blocks, held back by deviation. */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

/* Every claim takes an equal share of what is left (Polychronopoulos & Kuck 1987). */
static uint64_t gss_size(const struct keel_view *view)
{
    return div_ceil(view->remaining, view->threads);
}

const struct keel_schedule keel_schedule_gss = {
    .name = "gss",
    .aliases = "guided",
    .summary = "guided self-scheduling",
    .formula = "ceil(R/P)",
    .use = "threads start at different times; iterations do not get cheaper along the loop",
    .source = "Polychronopoulos & Kuck 1987",
    .size = gss_size,
};

/* A share `ratio` of the loop goes out in P equal chunks, the rest is guided (Shih, Yang & Tseng
 * 2007). */
static uint64_t pls_size(const struct keel_view *view)
{
    double share = view->spec->value[KEEL_RATIO].real * (double)view->iterations;

    if (view->step < view->threads && share > 0) {
        return count_of(ceil(share / (double)view->threads));
    }
    return div_ceil(view->remaining, view->threads);
}

const struct keel_schedule keel_schedule_pls = {
    .name = "pls",
    .summary = "performance-based loop scheduling",
    .formula = "first P chunks: ceil(ratio N/P); then ceil(R/P)",
    .use = "most of the loop is even, its end is not",
    .source = "Shih, Yang & Tseng 2007",
    .parameters = KEEL_BIT(KEEL_RATIO),
    .shape = KEEL_IRREGULAR,
    .size = pls_size,
};

/* Tapering: guided self-scheduling held back by the deviation of iteration times. */

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
