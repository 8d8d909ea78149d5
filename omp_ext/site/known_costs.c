/* The costs of iterations that a program has given. */
#include "omp_ext/site/known_costs.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/slow_lock.h"
#include "schedules/claim/plan.h"
#include "schedules/loop/spec.h"

/* Complete before its address is seen, and never changed. */
struct packed {
    struct keel_spec spec;
    uint64_t grain;
    uint64_t threads;
    struct keel_packing *packing;
    struct packed *next;
};

struct keel_known_costs {
    atomic_size_t holders;
    _Atomic(struct packed *) first;
    unsigned packings; /* guarded by keel_slow_lock */
    size_t count;
    double cost[];
};

atomic_bool keel_known_costs_given, keel_known_costs_missed;

struct keel_known_costs *keel_known_costs_make(const double *costs, size_t count)
{
    size_t room = (SIZE_MAX / 2 - sizeof(struct keel_known_costs)) / sizeof *costs;
    struct keel_known_costs *made =
        count <= room ? malloc(sizeof *made + count * sizeof *costs) : NULL;

    atomic_store_explicit(&keel_known_costs_given, true, memory_order_relaxed);
    if (made != NULL) {
        atomic_init(&made->holders, 1);
        atomic_init(&made->first, NULL);
        made->packings = 0;
        made->count = count;
        memcpy(made->cost, costs, count * sizeof *costs);
    }
    return made;
}

struct keel_known_costs *keel_known_costs_acquire(struct keel_known_costs *costs)
{
    if (costs != NULL) {
        /* relaxed: the hold of another thread keeps them meanwhile */
        atomic_fetch_add_explicit(&costs->holders, 1, memory_order_relaxed);
    }
    return costs;
}

static void free_costs(struct keel_known_costs *costs)
{
    struct packed *next;

    for (struct packed *packed = atomic_load_explicit(&costs->first, memory_order_relaxed);
         packed != NULL; packed = next) {
        next = packed->next;
        free(packed->packing);
        free(packed);
    }
    free(costs);
}

void keel_known_costs_release(struct keel_known_costs *costs)
{
    /* release: what the others have done with them, acquire: comes before they are freed */
    if (costs != NULL && atomic_fetch_sub_explicit(&costs->holders, 1, memory_order_acq_rel) == 1) {
        free_costs(costs);
    }
}

bool keel_known_costs_equal(const struct keel_known_costs *costs, const double *others,
                            size_t count)
{
    return costs != NULL && costs->count == count &&
           memcmp(costs->cost, others, count * sizeof *others) == 0;
}

bool keel_known_costs_fit(const struct keel_known_costs *costs, uint64_t iterations)
{
    return costs != NULL && costs->count == iterations;
}

size_t keel_known_costs_count(const struct keel_known_costs *costs)
{
    return costs != NULL ? costs->count : 0;
}

/* --- packings --- */

static const struct keel_packing *find(const struct keel_known_costs *costs,
                                       const struct keel_spec *spec, uint64_t grain,
                                       uint64_t threads)
{
    /* acquire: of the release in add() */
    for (const struct packed *packed = atomic_load_explicit(&costs->first, memory_order_acquire);
         packed != NULL; packed = packed->next) {
        if (packed->threads == threads && packed->grain == grain &&
            keel_spec_equal(&packed->spec, spec)) {
            return packed->packing;
        }
    }
    return NULL;
}

/* The costs of units: sums over `grain` iterations, divided by that, which leaves proportions alone
 * and sums finite. NULL: no memory. */
static double *unit_costs(const struct keel_known_costs *costs, uint64_t grain, uint64_t units)
{
    double *unit = calloc(units, sizeof *unit);

    for (size_t i = 0; unit != NULL && i < costs->count; i++) {
        unit[i / grain] = fmin(unit[i / grain] + costs->cost[i] / (double)grain, DBL_MAX);
    }
    return unit;
}

static struct keel_packing *build(const struct keel_known_costs *costs,
                                  const struct keel_spec *spec, uint64_t grain, uint64_t threads)
{
    if (grain == 1) {
        return keel_packing_build(spec, costs->cost, costs->count, threads, realloc);
    }
    uint64_t units = keel_grain_units(costs->count, grain);
    double *unit = unit_costs(costs, grain, units);
    struct keel_packing *packing =
        unit != NULL ? keel_packing_build(spec, unit, units, threads, realloc) : NULL;
    free(unit);
    return packing;
}

/* Under keel_slow_lock. */
static const struct keel_packing *add(struct keel_known_costs *costs, const struct keel_spec *spec,
                                      uint64_t grain, uint64_t threads)
{
    struct packed *made = costs->packings < KEEL_PACKINGS_MAX ? malloc(sizeof *made) : NULL;

    if (made == NULL) {
        return NULL;
    }
    made->spec = *spec;
    made->grain = grain;
    made->threads = threads;
    made->packing = build(costs, spec, grain, threads);
    if (made->packing == NULL) {
        free(made);
        return NULL;
    }
    made->next = atomic_load_explicit(&costs->first, memory_order_relaxed);
    costs->packings++;
    atomic_store_explicit(&costs->first, made, memory_order_release);
    return made->packing;
}

const struct keel_packing *keel_known_costs_packing(struct keel_known_costs *costs,
                                                    const struct keel_spec *spec, uint64_t grain,
                                                    uint64_t threads)
{
    const struct keel_packing *packing = find(costs, spec, grain, threads);

    if (packing == NULL) {
        keel_slow_lock();
        packing = find(costs, spec, grain, threads);
        if (packing == NULL) {
            packing = add(costs, spec, grain, threads);
        }
        keel_slow_unlock();
    }
    return packing;
}
