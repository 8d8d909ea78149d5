/* Increasing schedules: small chunks first, in stages of P equal chunks (Philip & Das 1997). */
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

#define FISS_STAGES 3 /* the authors' example */
#define VISS_STAGES 2

enum { FIRST, INCREMENT }; /* places in keel_view.constant */

static uint64_t stages_of(const struct keel_view *view, uint64_t standard)
{
    uint64_t stages = view->spec->value[KEEL_STAGES].count;

    return stages != 0 ? stages : standard;
}

/* With s stages and X = s + 2: first chunk floor(N / XP), increment floor(2N (1 - s/X) / (P s (s -
 * 1))), which is floor(4N / (X P s (s - 1))). s >= 2 keeps the divisor above 0 for every P. */
static void fiss_begin(struct keel_view *view)
{
    uint64_t stages = stages_of(view, FISS_STAGES);
    double x = (double)stages + 2;

    view->constant[FIRST].count = view->iterations / (stages + 2) / view->threads;
    view->constant[INCREMENT].count =
        count_of(4 * (double)view->iterations /
                 (x * (double)view->threads * (double)stages * ((double)stages - 1)));
}

static uint64_t fiss_size(const struct keel_view *view)
{
    uint64_t stage = view->step / view->threads;

    return view->constant[FIRST].count + stage * view->constant[INCREMENT].count;
}

const struct keel_schedule keel_schedule_fiss = {
    .name = "fiss",
    .summary = "fixed increase self-scheduling",
    .formula = "stages of P chunks: floor(N/XP) + j floor(4N/(XPs(s-1))), X = s+2, s = 3 stages",
    .use = "cheap iterations first, or data that arrive while the loop runs",
    .source = "Philip & Das 1997",
    .parameters = KEEL_BIT(KEEL_STAGES),
    .shape = KEEL_IRREGULAR,
    .batched = true,
    .begin = fiss_begin,
    .size = fiss_size,
};

/* First chunk c = floor(N / XP); stage j adds floor(c / 2^j) to what stage j - 1 had before any
 * minimum. */
static uint64_t viss_size(const struct keel_view *view)
{
    uint64_t size = view->iterations / (stages_of(view, VISS_STAGES) + 2) / view->threads;
    uint64_t stage = view->step / view->threads;

    for (uint64_t added = size >> 1; stage > 0 && added > 0; stage--, added >>= 1) {
        size += added;
    }
    return size;
}

const struct keel_schedule keel_schedule_viss = {
    .name = "viss",
    .summary = "variable increase self-scheduling",
    .formula = "stages of P chunks: c = floor(N/XP), stage j adds floor(c/2^j), X = s+2, s = 2",
    .use = "like fiss, with increments that shrink",
    .source = "Philip & Das 1997",
    .parameters = KEEL_BIT(KEEL_STAGES),
    .shape = KEEL_IRREGULAR,
    .batched = true,
    .size = viss_size,
};
