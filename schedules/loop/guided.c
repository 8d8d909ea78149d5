/* Guided self-scheduling: alone, behind a first part in equal blocks, held back by deviation, and
 * the bold strategy. */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

/* Every claim takes an equal share of the remaining iterations (Polychronopoulos & Kuck 1987). */
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

/* With t = R/P and v = alpha sigma/mu: t + v^2/2 - v sqrt(2 t + v^2/4)  (Lucco 1992). That is <= 0
 * for t <= v^2, where a large v would leave only rounding errors. */
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

/* The bold strategy: nearly as large chunks as the expected finish allows. */

enum { A, B, C1, C2 }; /* places in keel_view.constant, named as in the paper */

static void bold_begin(struct keel_view *view)
{
    const union keel_value *value = view->spec->value;
    double variation = value[KEEL_SIGMA].real / value[KEEL_MU].real;
    double a = 2 * variation * variation;

    view->constant[A].real = a;
    view->constant[B].real = a > 0 ? 8 * a * log(8 * a) : 0;
    view->constant[C1].real = value[KEEL_OVERHEAD].real / (value[KEEL_MU].real * log(2));
    view->constant[C2].real = sqrt(2 * M_PI) * view->constant[C1].real;
}

/* Hagerup 1997, algorithm 2. It wants m, the iterations not yet finished, and n, its estimate at
 * this moment. A plan knows no clock, so it uses the expected state: the P - 1 other threads have a
 * chunk like the last one, on average half done. */
static uint64_t bold_size(const struct keel_view *view)
{
    double remaining = (double)view->remaining;
    double threads = (double)view->threads;
    double running =
        fmin((double)(view->iterations - view->remaining), (double)view->chunk * (threads - 1));
    double unfinished = remaining + running;
    double share = (remaining + running / 2) / threads;
    double q = remaining / threads;
    double a = view->constant[A].real, b = view->constant[B].real, c2 = view->constant[C2].real;

    if (q <= 1) {
        return 1;
    }
    double v = b + q > 0 ? q / (b + q) : 1;
    double d = remaining / (1 + 1 / log(q) - v);
    if (!(d > c2) || a == 0) {
        return count_of(share);
    }
    double w = b > 0 ? log(v * log(q)) + log(b) : log(log(q));
    double bold = 0; /* without overhead the smallest chunk is best */
    if (c2 > 0) {
        double s = a * (log(d) - log(c2)) * (1 + unfinished / (share * threads * threads));
        bold = isfinite(s) ? share + s / 2 - sqrt(s * (share + s / 4)) : 0;
    }
    return count_of(fmin(bold + fmax(0, view->constant[C1].real * w), share));
}

const struct keel_schedule keel_schedule_bold = {
    .name = "bold",
    .summary = "the bold strategy",
    .formula =
        "close to R/P, less what sigma/mu and the overhead make risky (Hagerup's algorithm 2)",
    .use = "repeated loops with independent iteration times, when chunks are costly",
    .source = "Hagerup 1997",
    .parameters = KEEL_BIT(KEEL_MU) | KEEL_BIT(KEEL_SIGMA) | KEEL_BIT(KEEL_OVERHEAD),
    .measured = KEEL_BIT(KEEL_MU) | KEEL_BIT(KEEL_SIGMA) | KEEL_BIT(KEEL_OVERHEAD),
    .shape = KEEL_IRREGULAR,
    .begin = bold_begin,
    .size = bold_size,
};
