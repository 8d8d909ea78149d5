/* Grain: how many neighbouring iterations a schedule keeps together. No chunk begins or ends but on
 * a multiple of it from the loop's beginning, the end of the loop excepted.
 *
 *   spec, N iterations -> [units of `grain` iterations] -> plan or team -> chunks, times grain
 *
 * A loop of N iterations is scheduled as ceil(N / grain) units. Whatever divides units keeps to the
 * grain without knowing of it; the last unit has what is left. */
#ifndef SCHEDULES_CLAIM_GRAIN_H
#define SCHEDULES_CLAIM_GRAIN_H

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/schedule.h"

/* The grain that a spec states; 1: none. */
static inline uint64_t keel_grain_of(const struct keel_spec *spec)
{
    return max_u64(spec->value[KEEL_GRAIN].count, 1);
}

/* The smallest grain that keeps to both, each >= 1: their least common multiple. UINT64_MAX where
 * that does not fit: no loop has more iterations, so all are one unit. */
uint64_t keel_grain_common(uint64_t a, uint64_t b);

/* How many units a loop of `iterations` has. grain >= 1. */
static inline uint64_t keel_grain_units(uint64_t iterations, uint64_t grain)
{
    return div_ceil(iterations, grain);
}

/* The iteration at which unit `unit` begins, 0 <= unit <= units; that behind the loop's end for
 * unit == units. Does not overflow: (units - 1) * grain < iterations. */
static inline uint64_t keel_grain_iteration(uint64_t unit, uint64_t iterations, uint64_t grain)
{
    return unit <= iterations / grain ? unit * grain : iterations;
}

/* What `spec` says in iterations, said in units of its own grain: sizes are rounded up, a unit
 * takes `grain` times as long as an iteration, and deviates sqrt(grain) times as much. States no
 * grain any more. */
struct keel_spec keel_grain_spec(const struct keel_spec *spec);

/* Has `spec` keep to `grain`, too. */
void keel_grain_add(struct keel_spec *spec, uint64_t grain);

#endif
