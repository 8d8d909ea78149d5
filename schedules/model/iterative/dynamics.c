/* Dynamics of iterative jobs: recorded ones, and tasks that leave by chance. */
#include "schedules/model/iterative/dynamics.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/chance.h"

void keel_iterative_dynamics_replay(const void *recorded, uint32_t workers, uint64_t step,
                                    const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving)
{
    const struct keel_iterative_recorded *record = recorded;
    size_t bytes = workers * sizeof(uint64_t);

    (void)tasks;
    if (step >= record->steps) {
        return;
    }
    if (record->arriving != NULL) {
        memcpy(arriving, record->arriving + step * workers, bytes);
    }
    if (record->leaving != NULL) {
        memcpy(leaving, record->leaving + step * workers, bytes);
    }
}

static double chance_of(uint64_t *state)
{
    *state = keel_chance_mix(*state + 1);
    return (double)(*state >> 11) * 0x1p-53;
}

void keel_iterative_dynamics_leave(const void *leaving_context, uint32_t workers, uint64_t step,
                                   const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving)
{
    const struct keel_iterative_leaving *context = leaving_context;
    double part = fmin(finite_amount(context->part), 1);

    for (uint32_t w = 0; w < workers; w++) {
        uint64_t state =
            keel_chance_mix(keel_chance_mix(keel_chance_mix(context->seed) ^ step) ^ w);
        uint32_t degree = keel_neighbours_degree(context->graph, workers, w);
        uint64_t count = count_of(part * (double)tasks[w] + chance_of(&state));
        leaving[w] = degree > 0 ? min_u64(count, tasks[w]) : 0;
        for (uint64_t i = 0; i < leaving[w]; i++) {
            uint32_t n = (uint32_t)(chance_of(&state) * degree);
            arriving[keel_neighbours_at(context->graph, workers, w, n)]++;
        }
    }
}

/* --- what is expected --- */

/* Each worker and step has a variable of its own; of 16 runs of all of them the model sees one. */
static double stray(const struct keel_iterative_expected *expected, uint32_t worker, uint64_t step)
{
    uint64_t variable = keel_chance_mix(step + 1) ^ worker;

    return expected->deviation == NULL ? 0
                                       : finite_amount(expected->deviation[worker]) *
                                             keel_chance_normal(variable, step % KEEL_CHANCE_RUNS);
}

/* Whole tasks that a drift brings in a step; those of all steps add up to it. */
static double whole(double drift, uint64_t step)
{
    return floor((double)(step + 1) * drift + 0.5) - floor((double)step * drift + 0.5);
}

void keel_iterative_dynamics_expect(const void *expected_context, uint32_t workers, uint64_t step,
                                    const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving)
{
    const struct keel_iterative_expected *expected = expected_context;
    double strayed = 0, variance = 0;

    (void)tasks;
    for (uint32_t w = 0; w < workers && expected->deviation != NULL; w++) {
        double deviation = finite_amount(expected->deviation[w]);
        strayed += stray(expected, w, step);
        variance += deviation * deviation;
    }
    for (uint32_t w = 0; w < workers; w++) {
        double drift = isfinite(expected->drift[w]) ? expected->drift[w] : 0;
        double by = whole(drift, step);
        if (variance > 0) { /* normal, given that all add up to nothing */
            double deviation = finite_amount(expected->deviation[w]);
            by += round(stray(expected, w, step) - strayed * deviation * deviation / variance);
        }
        arriving[w] = by > 0 ? count_of(by) : 0;
        leaving[w] = by < 0 ? count_of(-by) : 0;
    }
}
