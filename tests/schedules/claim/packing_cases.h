/* Packings, and drawn costs for them, for tests. Comes after
 * <cmocka.h>. */
#ifndef TESTS_SCHEDULES_CLAIM_PACKING_CASES_H
#define TESTS_SCHEDULES_CLAIM_PACKING_CASES_H

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "schedules/claim/packing.h"
#include "schedules/claim/plan.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/draws.h"

static struct draws draws;

static inline struct keel_spec binlpt_of(uint64_t chunks, uint64_t minimum)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_binlpt);

    spec.value[KEEL_CHUNKS].count = chunks;
    spec.value[KEEL_MIN].count = minimum;
    return spec;
}

static inline struct keel_spec lpt_of(uint64_t minimum)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_lpt);

    spec.value[KEEL_MIN].count = minimum;
    return spec;
}

static inline struct keel_packing *build(const struct keel_spec *spec, const double *costs,
                                         uint64_t count, uint64_t threads)
{
    struct keel_packing *packing = keel_packing_build(spec, costs, count, threads, realloc);

    assert_non_null(packing);
    return packing;
}

enum { KINDS = 9 };

/* Costs of one of several kinds. */
static inline double *draw_costs(uint64_t count, uint64_t kind)
{
    double *costs = malloc(count * sizeof *costs);

    for (uint64_t i = 0; i < count; i++) {
        double uniform = draws_real(&draws);
        double cost[KINDS] = {0,
                              1,
                              uniform,
                              (double)i,
                              (double)(count - i),
                              -log(1 - uniform),
                              pow(1 - uniform, -2), /* a heavy tail */
                              uniform * DBL_MAX,
                              i == count / 3 ? 1e12 : uniform};
        costs[i] = cost[kind];
    }
    return costs;
}

static inline double load_of(const struct keel_listed_chunk *chunk, const double *costs,
                             double scale)
{
    double load = 0;

    for (uint64_t i = chunk->first; i < chunk->last; i++) {
        load += costs[i] * scale;
    }
    return load;
}

#endif
