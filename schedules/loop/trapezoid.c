/* Chunks that shrink or grow linearly: trapezoid self-scheduling, one by one or batch by batch, and
 * increasing schedules. */
#include "schedules/arithmetic/arithmetic.h"

#include "schedules/loop/registry.h"

enum { FIRST, LAST, DELTA }; /* places in keel_view.constant */

/* C = ceil(2N / (f + l)) chunks, each smaller than the one before by floor((f - l) / (C - 1)) (Tzen
 * & Ni 1993). By default f = N/2P and l = 1. */
static void trapezoid_begin(struct keel_view *view)
{
    uint64_t first = view->spec->value[KEEL_FIRST].count;
    uint64_t last = view->spec->value[KEEL_LAST].count;
    uint64_t chunks;

    if (first == 0) {
        first = view->iterations / 2 / view->threads;
    }
    first = min_u64(max_u64(first, 1), view->iterations);
    last = min_u64(last, first);
    chunks = count_of(2.0 * (double)view->iterations / ((double)first + (double)last));
    if ((double)chunks * ((double)first + (double)last) < 2.0 * (double)view->iterations) {
        chunks++;
    }
    view->constant[FIRST].count = first;
    view->constant[LAST].count = last;
    view->constant[DELTA].count = chunks > 1 ? (first - last) / (chunks - 1) : 0;
    /* A trapezoid too flat to fall by whole iterations is a rectangle. */
    bool flat = view->constant[DELTA].count == 0;
    view->min_chunk = max_u64(view->min_chunk, flat ? first : last);
}

/* max(l, f - step delta) */
static uint64_t trapezoid_at(const struct keel_view *view, uint64_t step)
{
    uint64_t first = view->constant[FIRST].count;
    uint64_t last = view->constant[LAST].count;
    uint64_t delta = view->constant[DELTA].count;

    if (delta != 0 && step > (first - last) / delta) {
        return last;
    }
    return first - step * delta;
}

static uint64_t tss_size(const struct keel_view *view)
{
    return trapezoid_at(view, view->step);
}

const struct keel_schedule keel_schedule_tss = {
    .name = "tss",
    .aliases = "trapezoidal trapezoid",
    .summary = "trapezoid self-scheduling",
    .formula = "f - j d; f = N/2P, l = 1, d = floor((f-l)/(C-1)), C = ceil(2N/(f+l)) chunks",
    .use = "like gss, with a smaller first chunk and fewer chunks",
    .source = "Tzen & Ni 1993",
    .positional = {KEEL_FIRST, KEEL_LAST},
    .positionals = 2,
    .begin = trapezoid_begin,
    .size = tss_size,
};

/* Mean of the next P chunks of tss, rounded down (Chronopoulos, Andonie, Benche & Grosu 2001).
 * `falling` of them are above l, the first by `high`; above l they sum up to falling high - d
 * falling (falling - 1) / 2. */
static uint64_t tfss_size(const struct keel_view *view)
{
    uint64_t last = view->constant[LAST].count;
    uint64_t delta = view->constant[DELTA].count;
    uint64_t high = trapezoid_at(view, view->step) - last;
    uint64_t falling = delta == 0 ? view->threads : min_u64(view->threads, div_ceil(high, delta));
    unsigned __int128 drops = falling == 0 ? 0 : (unsigned __int128)falling * (falling - 1) / 2;

    return last + (uint64_t)(((unsigned __int128)falling * high - drops * delta) / view->threads);
}

const struct keel_schedule keel_schedule_tfss = {
    .name = "tfss",
    .summary = "trapezoid factoring self-scheduling",
    .formula = "batches of P chunks, each the mean of the next P chunks of tss",
    .use = "like fac2, shrinking linearly instead of by halves",
    .source = "Chronopoulos, Andonie, Benche & Grosu 2001",
    .positional = {KEEL_FIRST, KEEL_LAST},
    .positionals = 2,
    .batched = true,
    .begin = trapezoid_begin,
    .size = tfss_size,
};

/* --- increasing: small chunks first, in stages of P equal chunks (Philip & Das 1997) --- */

#define FISS_STAGES 3 /* the authors' example */
#define VISS_STAGES 2

enum { STAGE_FIRST, STAGE_INCREMENT }; /* places in keel_view.constant */

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

    view->constant[STAGE_FIRST].count = view->iterations / (stages + 2) / view->threads;
    view->constant[STAGE_INCREMENT].count =
        count_of(4 * (double)view->iterations /
                 (x * (double)view->threads * (double)stages * ((double)stages - 1)));
}

static uint64_t fiss_size(const struct keel_view *view)
{
    uint64_t stage = view->step / view->threads;

    return view->constant[STAGE_FIRST].count + stage * view->constant[STAGE_INCREMENT].count;
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

/* First chunk c = floor(N / XP); stage j adds floor(c / 2^j) to the size of stage j - 1 before any
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
