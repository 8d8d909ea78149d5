/* Trapezoid self-scheduling: chunks that shrink linearly, one by one or batch by batch. */
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

/* Mean of the next P chunks that tss would hand out, rounded down (Chronopoulos, Andonie, Benche &
 * Grosu 2001). `falling` of them lie above l, the first by `high`; above l they sum up to falling
 * high - d falling (falling - 1) / 2. */
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
