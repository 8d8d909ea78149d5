/* Random chunk sizes, reproducible from a seed: a baseline that every other schedule should
 * beat. */
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

/* From seed and step: every thread computes the same sequence without sharing a generator. */
static uint64_t scrambled(uint64_t seed, uint64_t step)
{
    return keel_chance_drawn(seed + (step + 1) * KEEL_CHANCE_STEP);
}

/* Uniform over min_chunk .. max(min_chunk, N/P); the product's high half scales without a division.
 */
static uint64_t rnd_size(const struct keel_view *view)
{
    uint64_t highest = max_u64(view->min_chunk, view->iterations / view->threads);
    uint64_t choices = highest - view->min_chunk + 1;
    uint64_t draw = scrambled(view->spec->value[KEEL_SEED].count, view->step);

    return view->min_chunk + (uint64_t)(((unsigned __int128)draw * choices) >> 64);
}

const struct keel_schedule keel_schedule_rnd = {
    .name = "rnd",
    .summary = "random chunk sizes",
    .formula = "uniform over min..N/P, a function of seed and step",
    .use = "as a baseline, and to find wrong assumptions about the order and the threads",
    .source = "Ciorba, Iwainsky & Buder 2018",
    .parameters = KEEL_BIT(KEEL_SEED),
    .shape = KEEL_IRREGULAR,
    .size = rnd_size,
};
