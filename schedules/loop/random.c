/* Random chunk sizes, reproducible from a seed: the yardstick that every thought-out schedule
 * should beat. */
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/registry.h"

/* splitmix64 of seed and step: every thread computes the same sequence without sharing a generator
 * (Steele, Lea & Flood 2014). */
static uint64_t scrambled(uint64_t seed, uint64_t step)
{
    uint64_t z = seed + (step + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
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
    .use = "as a yardstick, and to shake out assumptions about who runs what",
    .source = "Ciorba, Iwainsky & Buder 2018",
    .parameters = KEEL_BIT(KEEL_SEED),
    .shape = KEEL_IRREGULAR,
    .size = rnd_size,
};
