/* Guided self-scheduling, alone and behind a first part in equal blocks. */
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
