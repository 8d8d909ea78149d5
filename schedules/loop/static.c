/* Static scheduling: every thread knows its chunks from the start; nothing is shared. */
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

static void static_begin(struct keel_view *view)
{
    view->min_chunk = max_u64(view->min_chunk, view->spec->value[KEEL_CHUNK].count);
}

/* Blocks that differ by at most one iteration, the larger first, as libgomp divides a loop. With a
 * given k, and where blocks would fall below the minimum, every chunk has min_chunk, and step s
 * falls to thread s mod P. */
static uint64_t static_size(const struct keel_view *view)
{
    if (view->spec->given & KEEL_BIT(KEEL_CHUNK)) {
        return view->min_chunk;
    }
    return view->iterations / view->threads + (view->step < view->iterations % view->threads);
}

const struct keel_schedule keel_schedule_static = {
    .name = "static",
    .summary = "equal blocks, or chunks dealt in turn",
    .formula = "N/P each; with k: chunk j of k iterations belongs to thread j mod P",
    .use = "iterations and cores are equal; the cheapest there is",
    .source = "OpenMP 5.0, 2.9.2",
    .states_min = true,
    .positional = {KEEL_CHUNK},
    .positionals = 1,
    .claim = KEEL_CLAIM_OWN,
    .begin = static_begin,
    .size = static_size,
};
